import { randomUUID } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { RunlinkError } from '../../base/error.ts';
import { formatDuration } from '../../base/time.ts';
import { StderrTail } from '../agent/stderr-tail.ts';
import { gitEnvironment } from '../git/git.ts';
import { inPlace, type View } from '../sandbox/confinement.ts';
import { assertKept, type ConfinedProcess } from '../sandbox/sandbox.ts';
import { confine } from './confine.ts';
import type { WorkerContext } from './run-context.ts';

/**
 * A command of ours that runs in a sandbox because an agent may have written to the directories it
 * works on.
 */
export interface Errand {
  /** Distinguishes its processes from others of the run. */
  name: string;
  command: readonly string[];
  /** What it must see in addition to what every run sees. */
  views?: readonly View[];
  writable: readonly string[];
  /**
   * No agent has written here, so nothing in these directories can make the command exhaust the
   * machine.
   */
  untouched?: boolean;
  signal?: AbortSignal;
}

const ANSWER_MAX_CHARS = 1024 * 1024;

/**
 * Runs an errand and returns what `use` makes of its output. It sees no data of the worker and has
 * no network and no key; its output must not be trusted. Throws what `use` throws, `engine_failed`,
 * or `errand_late`.
 */
export async function doErrand<T>(
  worker: WorkerContext,
  marker: string,
  { signal, ...errand }: Errand,
  use: (child: ConfinedProcess, stderr: StderrTail, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const child = await startErrand(worker, marker, errand);
  const { errandMs } = worker.limits;
  const limit = AbortSignal.timeout(errandMs);
  const halt = AbortSignal.any([limit, ...(signal ? [signal] : [])]);
  using _ = addAbortListener(halt, () => void child.destroy());
  try {
    return await use(child, new StderrTail(child.stderr), halt);
  } catch (error) {
    await child.destroy();
    signal?.throwIfAborted();
    if (limit.aborted)
      throw new RunlinkError(
        'errand_late',
        `The step "${errand.name}" took longer than ${formatDuration(errandMs)}.`,
      );
    assertKept(await child.exited);
    throw error;
  } finally {
    // Nobody needs to wait until its processes are gone.
    void child.destroy();
  }
}

/** Runs an errand and returns its output. Throws `errand_failed` with the reason. */
export async function runErrand(
  worker: WorkerContext,
  marker: string,
  errand: Errand,
): Promise<string> {
  return await doErrand(worker, marker, errand, async (child, stderr) => {
    const [answer, exit] = await Promise.all([readAnswer(child), child.exited]);
    errand.signal?.throwIfAborted();
    if (exit.code === 0) return answer;
    throw new RunlinkError('errand_failed', stderr.explain(exit.summary));
  });
}

async function readAnswer(child: ConfinedProcess): Promise<string> {
  let answer = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) answer = (answer + chunk).slice(0, ANSWER_MAX_CHARS);
  return answer;
}

/** Starts an errand in a sandbox with the run's limits. */
async function startErrand(
  worker: WorkerContext,
  marker: string,
  { name, command, views = [], writable, untouched = false }: Omit<Errand, 'signal'>,
): Promise<ConfinedProcess> {
  const { quick } = worker.sandbox;
  const mayBeQuick = untouched || quick?.gaps.length === 0;
  const child = await ((mayBeQuick && quick) || worker.sandbox).spawn(
    confine(worker, {
      image: undefined,
      command,
      cwd: '/',
      env: gitEnvironment({ transports: ['file'] }),
      views,
      writable: inPlace(writable),
      network: 'none',
      doors: [],
      // Each errand has its own marker, so that ending one does not end the next.
      processMarker: `${marker}.${name}-${randomUUID().slice(0, 8)}`,
    }),
  );
  child.stdin.end();
  return child;
}
