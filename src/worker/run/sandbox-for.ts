import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifactsOf, type RunContext } from './run-context.ts';
import type { Spawn } from '../sandbox/sandbox.ts';
import type { WorkerOptions } from '../worker-options.ts';

type Wanted = Pick<Spawn, 'command' | 'cwd' | 'env' | 'writable' | 'network' | 'modelSocket'>;

/** The root of this package: the demo agent and the bridge are started from it. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** What is the same for everything a run starts: limits, cookie, and the worker's own files out of sight. */
export function sandboxFor(run: RunContext, wanted: Wanted): Spawn {
  const { options, limits } = run.worker;
  const hidden = hiddenDirectories(options);
  return {
    ...wanted,
    writable: [...wanted.writable, artifactsOf(run), join(run.dir, 'tmp')],
    hidden,
    programs: [...programDirectories(options, hidden), ...operatorFiles(wanted.command, hidden)],
    limits,
    cookie: run.file.cookie,
  };
}

/** The worker's home with its keys, and the data of worker and service. */
function hiddenDirectories({ dataDir, hide = [] }: WorkerOptions): string[] {
  const all = [homedir(), dataDir, ...hide].map((dir) => resolve(dir));
  return [...new Set(all)].filter((dir) => dir !== sep && existsSync(dir)).toSorted();
}

/**
 * What of the hidden directories programs need: where PATH leads, with the packages beside it. A
 * hidden directory is never opened whole by this.
 */
function programDirectories({ environment }: WorkerOptions, hidden: readonly string[]): string[] {
  const path = (environment['PATH'] ?? '').split(':').filter((dir) => dir.startsWith(sep));
  const bins = [...path, dirname(process.execPath)].map((dir) => resolve(dir));
  const wanted = bins.map((dir) => (hidden.includes(dirname(dir)) ? dir : dirname(dir)));
  const own = ['node_modules', 'examples', 'src', 'build', 'package.json'].map((name) =>
    join(PACKAGE, name),
  );
  return [...new Set([...wanted, ...own])].filter(
    (dir) => isInside(dir, hidden) && existsSync(dir),
  );
}

function isInside(path: string, hidden: readonly string[]): boolean {
  return ['/tmp', '/run', ...hidden].some((each) => path.startsWith(each + sep));
}

/** Scripts that the command names by their path, with the files beside them. */
function operatorFiles(command: readonly string[], hidden: readonly string[]): string[] {
  return command
    .filter((word) => isAbsolute(word) && isInside(word, hidden) && existsSync(word))
    .map((file) => (['/tmp', '/run', ...hidden].includes(dirname(file)) ? file : dirname(file)));
}
