import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { RunlinkError } from '../../base/error.ts';

/** A clone or fetch that takes longer is ended. */
const GIT_TIMEOUT_MS = 15 * 60_000;
const ERROR_TAIL = 4000;

/** Which transports a git command may use; nothing else, whatever a repository's config says. */
export type Transport = 'https' | 'http' | 'ssh' | 'git' | 'file';

export interface GitOptions {
  cwd?: string;
  gitDir?: string;
  workTree?: string;
  indexFile?: string;
  input?: string | Buffer;
  transports?: readonly Transport[];
  /** Sent to the origin of `url` only; passed by environment, so it is in no argument and no file. */
  credentials?: { url: string; token: string } | undefined;
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Home that ssh reads its keys from. */
  home?: string | undefined;
}

/** Settings under which no file of a repository can make git run a program (threats.md S8). */
const SAFE_CONFIG = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.symlinks', 'true'],
  ['safe.directory', '*'],
  ['safe.bareRepository', 'all'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['diff.ignoreSubmodules', 'all'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
  ['transfer.credentialsInUrl', 'die'],
] as const;

/** The environment of a git process: nothing of the worker's but its PATH. */
export function gitEnvironment(options: GitOptions): Record<string, string> {
  const config: [string, string][] = SAFE_CONFIG.map(([key, value]) => [key, value]);
  const { credentials } = options;
  if (credentials && /^https?:/.test(credentials.url)) {
    const basic = Buffer.from(`x-access-token:${credentials.token}`).toString('base64');
    const origin = new URL(credentials.url).origin;
    config.push([`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  const numbered = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    PATH: '/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin',
    HOME: options.home ?? '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // Unlike the settings, these two reach the git that a local fetch starts inside the agent's clone.
    GIT_ALLOW_PROTOCOL: (options.transports ?? []).join(':'),
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(numbered),
    ...(options.gitDir === undefined ? {} : { GIT_DIR: options.gitDir }),
    ...(options.workTree === undefined ? {} : { GIT_WORK_TREE: options.workTree }),
    ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    ...options.env,
  };
}

/**
 * Runs git and answers its output. Throws `git_failed` with what git said; `aborted` signals reject
 * with their reason.
 */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { signal } = options;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(GIT_TIMEOUT_MS);
  const child = spawn('git', [...args], {
    env: gitEnvironment(options),
    stdio: ['pipe', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  try {
    const [code, output, errors] = await Promise.all([
      closed,
      text(child.stdout),
      text(child.stderr),
    ]);
    if (code === 0) return output;
    throw failure(args, errors);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (timeout.aborted) throw failure(args, 'it took longer than 15 minutes');
    throw error;
  }
}

function failure(args: readonly string[], errors: string): RunlinkError {
  const said = errors.trim().slice(-ERROR_TAIL) || 'it gave no reason';
  return new RunlinkError('git_failed', `git ${args[0] ?? ''} failed: ${said}`);
}
