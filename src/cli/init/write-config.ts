import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import { readYaml } from '../../base/yaml.ts';
import { operatorConfig, type OperatorConfig } from '../../config/operator-config.ts';

/** What was asked for. */
export interface ConfigAnswers {
  repository: string;
  agent: string;
  keyVariable: string | undefined;
  /** Whether there is a token for pushing. */
  canPush: boolean;
}

interface Repository {
  owner: string;
  repo: string;
  clone_url?: string;
  isLocal: boolean;
}

const NAME = /^[\w.][\w.-]*$/;
const ADDRESS = /^(https:\/\/|ssh:\/\/|[\w.-]+@[\w.-]+:)/;

/**
 * Accepts `owner/name` of github.com, an https or ssh address, or a local folder. Throws
 * `invalid_option`.
 */
export function readRepository(given: string): Repository {
  const text = given.trim().replace(/\/$/, '');
  const isLocal = /^[./]/.test(text);
  const short = /^([\w.][\w.-]*)\/([\w.][\w.-]*)$/.exec(text);
  if (short && !isLocal) return { owner: short[1] ?? '', repo: short[2] ?? '', isLocal };
  const clone_url = isLocal ? resolve(text) : text;
  const [owner = '', repo = ''] = namesOf(clone_url);
  if (!NAME.test(repo) || !(isLocal || ADDRESS.test(text))) throw noRepository(given);
  if (clone_url.startsWith('https://github.com/')) return { owner, repo, isLocal };
  return { owner: ownerOf(owner, isLocal), repo, isLocal, clone_url };
}

const GITHUB = /^(?:\w+:\/\/)?(?:[^/@]*@)?github\.com[/:]/;

/**
 * A remote of this folder as `readRepository` takes it: on another server by its address, without
 * the password that may stand there; a remote that is a folder as this folder itself.
 */
export function givenByRemote({ url, repository }: { url: string; repository: string }): string {
  if (GITHUB.test(url)) return repository;
  return ADDRESS.test(url) ? url.replace(/^https:\/\/[^/@]*@/, 'https://') : '.';
}

const ownerOf = (name: string, isLocal: boolean): string =>
  isLocal || !NAME.test(name) ? 'local' : name;

function noRepository(given: string): RunlinkError {
  return new RunlinkError('invalid_option', `"${given}" is not a repository.`, {
    hint: 'Write owner/name, an https or ssh address, or a path that begins with . or /.',
  });
}

/** The last two parts of an address or path. */
function namesOf(address: string): string[] {
  const path = address.replace(/^\w+:\/\/[^/]*\//, '').replace(/\.git$/, '');
  return ['', ...path.split(/[/:]/)].slice(-2);
}

/** An id as the interface has them: 22 letters and digits. */
function newId(): string {
  const letters = randomBytes(48)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '');
  return letters.slice(0, 22);
}

/** A commented runlink.yaml. */
export function renderConfig(wish: ConfigAnswers): string {
  const { agent, keyVariable, canPush } = wish;
  const { owner, repo, clone_url, isLocal } = readRepository(wish.repository);
  const said = (value: string): string => JSON.stringify(value);
  const where = clone_url ? `\n        clone_url: ${said(clone_url)}` : '';
  return `# What this service works on. All settings: docs/configuration.md
# Check it with: runlink config check

environments:
  # A place where runs work: a repository and how it is set up.
  - id: ${newId()}
    name: ${said(repo)}
    repositories:
      - owner: ${said(owner)}
        repo: ${said(repo)}${where}
        # ref: main             # where work begins; the repository's default branch if left out
    # Run in a fresh copy before the agent starts, for example:
    # setup_commands: [npm ci]
    # Push what the agent committed and open a pull request. It needs a token in GITHUB_TOKEN that may
    # write contents and pull requests, or a GitHub App (docs/app.md).
    pull_request: ${canPush}

# The agent of runs that name none. "runlink doctor" says which can be used here.
default_harness: ${agent}
${keyVariable ? `# Its model's key is read from the variable ${keyVariable}. No agent ever sees it.\n` : ''}${isLocal ? '\n# The repository is a folder of this machine.\nallow_insecure_remotes: true\n' : ''}
# What one run may use up:
# limits:
#   run_time: 2h
#   budget_tokens: 2000000
`;
}

/** Parses the text as the service will. Throws with file, line and column if it is invalid. */
export function checkConfig(text: string, file: string): OperatorConfig {
  return readYaml(text, operatorConfig, file);
}
