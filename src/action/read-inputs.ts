import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { errorMessage, RunlinkError } from '../base/error.ts';
import { parseDurationMs } from '../base/time.ts';
import { agentConfig, type AgentConfig } from '../contract/agent-config.ts';
import { metadata } from '../contract/primitives.ts';
import { TERMINAL_STATES, type TerminalState } from '../contract/run-state.ts';
import { readLogins, type GateRules } from '../github/decide/gate.ts';
import { PERMISSIONS } from '../github/read/permission.ts';
import { ON_PULL_REQUEST, type OnPullRequest } from '../github/decide/request.ts';
import { WHEN_BUSY, type WhenBusy } from '../github/decide/plan.ts';
import { ON_EDIT, type OnEdit } from '../github/decide/trigger.ts';
import { REVIEW_VERDICTS, type ReviewVerdict } from '../github/render/review.ts';
import { WORKFLOW_LOGIN } from './identity.ts';
import { readOutputSchema, type OutputSchema } from './output-schema.ts';
import { INPUTS, type InputDefinition, type InputName, type RawInputs } from './inputs.ts';

/** The checked inputs. Nothing after this reads a raw input. */
export interface Settings {
  baseUrl: string;
  /** Undefined if the job should sign in with GitHub's OIDC token. */
  apiKey: string | undefined;
  /**
   * What is missing because a secret is. It becomes an error only once somebody who may start runs
   * asks for one.
   */
  lacks: RunlinkError | undefined;
  githubToken: string;
  instruction: string;
  template: string;
  outputSchema: OutputSchema | undefined;
  skill: string;
  runId: string;
  phrase: string;
  label: string | undefined;
  assignee: string | undefined;
  whenBusy: WhenBusy;
  onEdit: OnEdit;
  onPullRequest: OnPullRequest;
  closesIssue: boolean;
  /** The strongest verdict that a run's review may be posted with. */
  reviews: 'none' | ReviewVerdict;
  requestKey: string;
  /** This job's check run; it changes with each attempt. */
  checkRunId: string;
  gate: GateRules;
  environment: string;
  model: string;
  agent: string;
  name: string;
  title: string;
  metadata: Record<string, string>;
  config: AgentConfig;
  wait: boolean;
  timeoutMs: number;
  onTimeout: 'detach' | 'cancel';
  /** Undefined: cancel a run that this step started, detach from one that it was attached to. */
  onCancel: 'detach' | 'cancel' | undefined;
  failOn: readonly TerminalState[];
  report: {
    comment: boolean;
    check: boolean;
    reactions: boolean;
    mention: boolean;
    summary: boolean;
  };
  checkName: string;
  dryRun: boolean;
}

/** Reads the raw inputs by name; `get` answers an empty string for one that is not set. */
export function readRawInputs(get: (name: string) => string): RawInputs {
  const names = Object.keys(INPUTS) as InputName[];
  return Object.fromEntries(names.map((name) => [name, get(name)])) as Record<InputName, string>;
}

/**
 * Checks every input before any network call. Throws `invalid_input` and names the first bad one.
 */
export async function readSettings(
  raw: RawInputs,
  fallback: {
    baseUrl: string | undefined;
    apiKey: string | undefined;
    workspace: string;
    canSignIn: boolean;
  },
): Promise<Settings> {
  const input = (name: InputName): string => raw[name].trim();
  return {
    ...readService(
      input('base-url') || (fallback.baseUrl ?? ''),
      input('api-key') || (fallback.apiKey ?? ''),
      fallback.canSignIn,
    ),
    githubToken: input('github-token'),
    instruction: await readInstruction(raw, fallback.workspace),
    template: raw['prompt-template'],
    outputSchema: await readSchema(input('output-schema'), fallback.workspace),
    skill: input('skill'),
    runId: input('run-id'),
    phrase: readPhrase(input('trigger-phrase')),
    label: input('label-trigger') || undefined,
    assignee: input('assignee-trigger') || undefined,
    whenBusy: oneOfOrDefault('when-busy', input, WHEN_BUSY),
    reviews: oneOfOrDefault('reviews', input, ['none', ...REVIEW_VERDICTS]),
    onEdit: oneOfOrDefault('on-edit', input, ON_EDIT),
    closesIssue: flag('closes-issue', input('closes-issue'), false),
    onPullRequest: oneOfOrDefault('on-pull-request', input, ON_PULL_REQUEST),
    requestKey: input('request-key'),
    checkRunId: input('check-run-id'),
    gate: readGate(input),
    environment: input('environment-id'),
    model: input('model'),
    agent: input('agent'),
    name: input('name'),
    title: input('title'),
    metadata: await structured('metadata', raw.metadata, ownMetadata),
    config: await structured('config', raw.config, agentConfig.strict()),
    ...readWaiting(input),
    report: {
      comment: flag('comment', input('comment'), true),
      check: flag('check', input('check'), true),
      reactions: flag('reactions', input('reactions'), true),
      mention: flag('mention', input('mention'), true),
      summary: flag('summary', input('summary'), true),
    },
    checkName: input('check-name') || 'Runlink',
    dryRun: flag('dry-run', input('dry-run'), false),
  };
}

type Input = (name: InputName) => string;

function invalid(name: InputName, problem: string, hint: string, cause?: unknown): RunlinkError {
  return new RunlinkError('invalid_input', `Input ${name} ${problem}.`, { hint, cause });
}

function readService(
  baseUrl: string,
  apiKey: string,
  canSignIn: boolean,
): Pick<Settings, 'baseUrl' | 'apiKey' | 'lacks'> {
  if (baseUrl !== '' && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) {
    throw invalid('base-url', 'is not an http(s) address', 'Set `base-url: https://…/api/v1`.');
  }
  const lacks = baseUrl === '' ? NO_URL : apiKey === '' && !canSignIn ? NO_KEY : undefined;
  // Never requested; the client only needs a valid URL.
  return { baseUrl: baseUrl || 'http://not-set.invalid', apiKey: apiKey || undefined, lacks };
}

const NO_URL = invalid(
  'base-url',
  'is missing',
  'Set `base-url: https://…/api/v1`, or the variable RUNLINK_BASE_URL.',
);
const NO_KEY = invalid(
  'api-key',
  'is missing',
  'Set `api-key: ${{ secrets.RUNLINK_API_KEY }}` and add that secret to the repository, or let the job sign in without one: `permissions: id-token: write`, and an entry of `trust` in the service’s runlink.yaml.',
);

function readPhrase(value: string): string {
  const phrase = value === '' ? '/agent' : value;
  if (!/\s/.test(phrase)) return phrase;
  throw invalid('trigger-phrase', 'must not contain spaces', 'Use one word, such as /agent.');
}

function oneOf<const T extends readonly string[]>(
  name: InputName,
  value: string,
  choices: T,
): T[number] {
  const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  if (found !== undefined) return found;
  throw invalid(name, `is "${value}"`, `It takes ${choices.join(', ')}.`);
}

/** The input's default counts if it is empty. */
function oneOfOrDefault<const T extends readonly string[]>(
  name: InputName,
  input: Input,
  choices: T,
): T[number] {
  const { default: usual = '' }: InputDefinition = INPUTS[name];
  return oneOf(name, input(name) || usual, choices);
}

/** Reads YAML 1.2's booleans, as the toolkit does. */
function flag(name: InputName, value: string, fallback: boolean): boolean {
  if (value === '') return fallback;
  return oneOf(name, value, ['true', 'false']) === 'true';
}

async function readInstruction(raw: RawInputs, workspace: string): Promise<string> {
  const file = raw['prompt-file'].trim();
  if (file === '') return raw.prompt.trim();
  if (raw.prompt.trim() !== '') {
    throw invalid('prompt-file', 'is set beside prompt', 'Use one of the two.');
  }
  const text = await readWorkspace('prompt-file', file, workspace);
  if (text !== '') return text;
  throw invalid('prompt-file', `names the empty file ${file}`, 'Write the prompt into it.');
}

async function readWorkspace(name: InputName, file: string, workspace: string): Promise<string> {
  try {
    return (await readFile(resolve(workspace, file), 'utf8')).trim();
  } catch (error) {
    const hint = 'Check out the repository before this step.';
    throw invalid(name, `cannot be read (${errorMessage(error)})`, hint, error);
  }
}

async function readSchema(text: string, workspace: string): Promise<OutputSchema | undefined> {
  if (text === '') return undefined;
  const isInline = text.startsWith('{');
  const schema = isInline ? text : await readWorkspace('output-schema', text, workspace);
  try {
    return await readOutputSchema(schema);
  } catch (error) {
    const problem = `is not a usable JSON Schema: ${errorMessage(error)}`;
    throw invalid('output-schema', problem, 'Write a schema as JSON, or name its file.', error);
  }
}

function readGate(input: Input): Settings['gate'] {
  const logins = (name: 'allowed-bots' | 'allowed-users'): string[] => {
    try {
      return readLogins(input(name));
    } catch (error) {
      throw invalid(name, `is refused: ${errorMessage(error)}`, 'Name each login exactly.', error);
    }
  };
  return {
    permission: oneOfOrDefault('permission', input, PERMISSIONS),
    allowedBots: logins('allowed-bots'),
    allowedUsers: logins('allowed-users'),
    allowForks: flag('allow-forks', input('allow-forks'), false),
    ownLogins: [WORKFLOW_LOGIN],
  };
}

/**
 * Metadata is text, although YAML reads `42` and `true` as other types. Our own keys say where a
 * run works and cannot be set here.
 */
const ownMetadata = z
  .record(
    z.string().regex(/^(?!runlink\.)/, 'keys that begin with runlink. are ours'),
    z.union([z.string(), z.number(), z.boolean()]).transform(String),
  )
  .pipe(metadata);

/** Reads a text in YAML or JSON; an empty text has no entries. */
async function structured<S extends z.ZodType>(
  name: 'config' | 'metadata',
  text: string,
  schema: S,
): Promise<z.output<S>> {
  if (text.trim() === '') return schema.parse({});
  const { formatYamlIssue, parseYaml } = await import('../base/yaml.ts');
  const result = parseYaml(text, schema);
  if (result.ok) return result.value;
  const faults = result.issues.map((issue) => formatYamlIssue(name, issue)).join('; ');
  throw invalid(name, `is not valid: ${faults}`, 'Write YAML or JSON.');
}

function readWaiting(
  input: Input,
): Pick<Settings, 'wait' | 'timeoutMs' | 'onTimeout' | 'onCancel' | 'failOn'> {
  const choices = ['detach', 'cancel'] as const;
  const onCancel = input('on-cancel');
  return {
    wait: flag('wait', input('wait'), true),
    timeoutMs: readTimeout(input('timeout') || '5h'),
    onTimeout: oneOfOrDefault('on-timeout', input, choices),
    onCancel: onCancel === '' ? undefined : oneOf('on-cancel', onCancel, choices),
    failOn: readFailOn(input('fail-on')),
  };
}

/** Longest time a timer can hold. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

function readTimeout(value: string): number {
  try {
    return Math.min(TIMEOUT_MAX_MS, parseDurationMs(value));
  } catch (error) {
    throw invalid('timeout', `is "${value}"`, 'Write a duration such as 90s, 45m or 5h.', error);
  }
}

function readFailOn(value: string): TerminalState[] {
  if (value === '') return ['FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'];
  if (value.toLowerCase() === 'none') return [];
  return value
    .split(/[\s,]+/)
    .filter((state) => state !== '')
    .map((state) => oneOf('fail-on', state, TERMINAL_STATES));
}
