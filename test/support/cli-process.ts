import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { cleanEnvironment } from './clean-environment.ts';
import { programFile } from './programs.ts';

/** What a failed test shows of each process's log, in characters. */
const LOG_SHOWN = 6000;
/** Longest a process may take to be ready on a busy machine. */
const READY_WITHIN_MS = 90_000;
const ROOT = join(import.meta.dirname, '../..');
const ready = z.looseObject({ url: z.string(), api_base_url: z.string().optional(), pid: z.int() });
export type Ready = z.infer<typeof ready>;

/** A `runlink …` process as a script outside the project would start it. */
export interface CliProcess {
  /** Starts it, or starts it again, and waits until it says that it is ready. */
  start(): Promise<Ready>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Ends it as an operator would, by SIGTERM unless another is named; answers its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** What it printed and logged, of all its starts. */
  logFile: string;
}

export interface CliProcessOptions {
  name: string;
  words: readonly string[];
  env: Record<string, string>;
  /** Scratch directory for its log and its ready file. */
  directory: string;
  /** Without one the process counts as ready when its log shows this text. */
  readyText?: string;
}

/** Runs a command to its end; answers what it printed. */
export async function runCliCommand(
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [programFile('src/cli/main.ts'), ...words], {
    cwd: ROOT,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

/** Prepares a long-running command; nothing runs before `start`. */
export function prepareCliProcess(options: CliProcessOptions): CliProcess {
  const { name, directory, readyText } = options;
  const readyFile = join(directory, `${name}.ready.json`);
  const logFile = join(directory, `${name}.log`);
  const words = readyText ? options.words : [...options.words, '--ready-file', readyFile];
  let child: ChildProcess | undefined;
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const log = await readFile(logFile, 'utf8').catch(() => 'never started');
    process.stderr.write(`\n--- log of ${name}, its end ---\n${log.slice(-LOG_SHOWN)}\n`);
  });

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!child || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  const isReady = async (): Promise<Ready> => {
    if (child?.exitCode !== null)
      throw new Error(`${name} ended: ${await readFile(logFile, 'utf8')}`);
    if (!readyText) return ready.parse(JSON.parse(await readFile(readyFile, 'utf8')));
    const text = await readFile(logFile, 'utf8');
    if (!text.includes(readyText)) throw new Error(`${name} is not ready: ${text}`);
    return { url: '', pid: child.pid ?? 0 };
  };
  return {
    logFile,
    async start() {
      await rm(readyFile, { force: true });
      if (readyText) await rm(logFile, { force: true });
      const log = createWriteStream(logFile, { flags: 'a' });
      await once(log, 'open');
      child = spawn(process.execPath, [programFile('src/cli/main.ts'), ...words], {
        cwd: ROOT,
        env: { ...cleanEnvironment(), ...options.env },
        stdio: ['ignore', log, log],
      });
      log.close();
      return vi.waitFor(isReady, { timeout: READY_WITHIN_MS, interval: 50 });
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: (signal = 'SIGTERM') => end(signal),
  };
}
