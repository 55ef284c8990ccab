import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifactsOf, type RunContext } from './run-context.ts';
import type { Spawn } from './sandbox/sandbox.ts';
import type { WorkerOptions } from './worker-options.ts';

type Wanted = Pick<Spawn, 'command' | 'cwd' | 'env' | 'writable' | 'network' | 'modelSocket'>;

/** The root of this package: the demo agent and the bridge are started from it. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** What is the same for everything a run starts: limits, cookie, and the worker's own files out of sight. */
export function sandboxFor(run: RunContext, wanted: Wanted): Spawn {
  const { options, limits } = run.worker;
  const hidden = hiddenDirectories(options);
  return {
    ...wanted,
    writable: [...wanted.writable, artifactsOf(run), join(run.dir, 'tmp')],
    hidden,
    programs: programDirectories(options, hidden),
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
  const inside = (dir: string): boolean =>
    ['/tmp', '/run', ...hidden].some((each) => dir.startsWith(each + sep));
  const own = ['node_modules', 'examples', 'src', 'build', 'package.json'].map((name) =>
    join(PACKAGE, name),
  );
  return [...new Set([...wanted, ...own])].filter((dir) => inside(dir) && existsSync(dir));
}
