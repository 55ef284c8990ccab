import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RunlinkError } from '../../base/error.ts';
import type { GitCredentials } from './credentials.ts';

/** A git command that takes longer is killed. */
const GIT_TIMEOUT_MS = 60 * 60_000;
/**
 * A transfer without a single byte for this long is ended, too; servers that take long to prepare
 * send a sign of life every 5 seconds.
 */
const SILENCE_SECONDS = '300';
const ERROR_TAIL = 4000;
/** Git's output is read up to this size: a tree can name more files than fit into memory. */
const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;

/** The transports that a git command may use; whatever a repository's config says, no others. */
export type GitProtocol = 'https' | 'http' | 'ssh' | 'git' | 'file';

export interface GitOptions {
  cwd?: string;
  gitDir?: string;
  indexFile?: string;
  /** Given to git on stdin. If the stream throws, the command ends and throws the same error. */
  input?: string | AsyncIterable<Uint8Array>;
  transports?: readonly GitProtocol[];
  /** Passed in the environment, so that they appear in no argument and no file. */
  credentials?: GitCredentials | undefined;
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Home directory from which ssh reads its keys. */
  home?: string | undefined;
  /** Longest output; longer output is an error, or is cut there if `cut` is set. */
  maxBytes?: number;
  cut?: boolean;
  /**
   * Receives the output as it comes, instead of having it returned. If it throws, the command ends.
   */
  read?: (chunk: Buffer) => void;
}

/** With these settings no file in a repository can make git run a program (threats.md S8). */
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
  // Larger files are streamed instead of held in memory, and are not compared line by line.
  ['core.bigFileThreshold', '16m'],
] as const;

/** The environment of a git process. Nothing is inherited from the worker. */
export function gitEnvironment(options: GitOptions): Record<string, string> {
  const config: [string, string][] = SAFE_CONFIG.map(([key, value]) => [key, value]);
  const { credentials } = options;
  if (credentials) {
    const basic = Buffer.from(`x-access-token:${credentials.token}`).toString('base64');
    config.push([`http.${credentials.origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
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
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=60 -oServerAliveInterval=30',
    GIT_HTTP_LOW_SPEED_LIMIT: '1',
    GIT_HTTP_LOW_SPEED_TIME: SILENCE_SECONDS,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // Unlike the settings, these two also apply to a git that another git starts.
    GIT_ALLOW_PROTOCOL: (options.transports ?? []).join(':'),
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(numbered),
    ...(options.gitDir === undefined ? {} : { GIT_DIR: options.gitDir }),
    ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    ...options.env,
  };
}

/**
 * Runs git and returns its output. Throws `git_failed` with git's message, or the signal's reason
 * once that is aborted.
 */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { signal } = options;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(GIT_TIMEOUT_MS);
  const child = spawn('git', [...args], {
    env: gitEnvironment(options),
    stdio: ['pipe', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    // In a process group of its own: Ctrl-C is for the worker, which lets its runs end.
    detached: true,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  try {
    const [answer, errors, code] = await Promise.all([
      readAnswer(child, options),
      readTail(child.stderr),
      closed(child),
      give(child, options.input),
    ]);
    if (answer.tooLong && options.cut !== true) throw failure(args, 'its answer is too long');
    if (code === 0 || answer.tooLong) return answer.text;
    throw failure(args, errors, child.signalCode);
  } catch (error) {
    child.kill('SIGKILL');
    signal?.throwIfAborted();
    throw timeout.aborted ? failure(args, 'it took longer than an hour') : error;
  }
}

function closed(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

/**
 * Writes the input to git. If git stops reading early, its own message says why; only an error of
 * the source itself is thrown.
 */
async function give(child: ChildProcess, input: GitOptions['input'] = ''): Promise<void> {
  const { stdin } = child;
  if (!stdin) return;
  stdin.on('error', () => undefined);
  if (typeof input === 'string') return void stdin.end(input);
  let thrown: { error: unknown } | undefined;
  async function* guarded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      // When git closes its end, the pipe throws EPIPE into the source: not an error of the source.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') thrown = { error };
      throw error;
    }
  }
  await pipeline(Readable.from(guarded(input)), stdin).catch(() => {
    if (thrown) throw thrown.error;
  });
}

async function readAnswer(
  child: ChildProcess,
  { maxBytes = OUTPUT_MAX_BYTES, read }: GitOptions,
): Promise<{ text: string; tooLong: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of (child.stdout ?? []) as AsyncIterable<Buffer>) {
    if (read) {
      read(chunk);
      continue;
    }
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) continue;
    child.kill('SIGKILL');
    break;
  }
  const all = Buffer.concat(chunks).subarray(0, maxBytes);
  return { text: all.toString('utf8'), tooLong: size > maxBytes };
}

/** Keeps only the end, because a remote may send any amount. */
async function readTail(stream: Readable | null): Promise<string> {
  let tail = '';
  for await (const chunk of (stream ?? []) as AsyncIterable<Buffer>)
    tail = (tail + chunk.toString('utf8')).slice(-ERROR_TAIL);
  return tail;
}

function failure(
  args: readonly string[],
  errors: string,
  signal: string | null = null,
): RunlinkError {
  const said = errors.trim() || (signal ? `${signal} ended it` : 'it gave no reason');
  return new RunlinkError('git_failed', `git ${args[0] ?? ''} failed: ${said}`);
}
