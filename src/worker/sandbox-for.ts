import { join } from 'node:path';
import { artifactsOf, type RunContext } from './run-context.ts';
import type { Spawn } from './sandbox/sandbox.ts';

type Wanted = Pick<Spawn, 'command' | 'cwd' | 'env' | 'writable' | 'network'>;

/** What is the same for everything a run starts: limits, cookie, and the worker's own files out of sight. */
export function sandboxFor(run: RunContext, wanted: Wanted): Spawn {
  return {
    ...wanted,
    writable: [...wanted.writable, artifactsOf(run), join(run.dir, 'tmp')],
    hidden: [run.worker.options.dataDir],
    limits: run.worker.limits,
    cookie: run.file.cookie,
  };
}
