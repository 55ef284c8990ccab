import { RunlinkError } from '../../base/error.ts';
import { formatDuration } from '../../base/time.ts';
import { watchDisk } from '../disk-use.ts';
import type { RunContext } from './run-context.ts';
import { measureRun } from './run-directories.ts';

const LONGER =
  'Ask for less at once, or raise `limits: {run_time}` in runlink.yaml of service and worker.';
const LESS = 'Have it keep less: what it builds and caches, in its home too, counts as well.';

export interface LimitWatch {
  /** The agent gave a sign of life. */
  alive(): void;
  stop(): void;
}

/**
 * Stops the run if it takes too long or uses too much disk, or if its agent is silent for too long.
 * Silence counts once `ready` resolves, because preparing the workspace has limits of its own.
 */
export function watchLimits(run: RunContext, ready: Promise<unknown>): LimitWatch {
  const { wallClockMs, idleMs, workspaceBytes } = run.worker.limits;
  const end = (message: string, hint?: string): void =>
    run.stop.abort(new RunlinkError('limit_exceeded', message, hint === undefined ? {} : { hint }));
  // Node's timers take at most 2^31-1 ms, so no run may take longer than those 24 days.
  const wall = setTimeout(
    () => end(`The run reached its limit of ${formatDuration(wallClockMs)}.`, LONGER),
    Math.min(wallClockMs, 2 ** 31 - 1),
  );
  const idle = { timer: undefined as NodeJS.Timeout | undefined, isOver: false };
  const begin = (): void => {
    if (idle.isOver) return;
    idle.timer = setTimeout(
      () => end(`The agent gave no sign of life for ${formatDuration(idleMs)}.`),
      Math.min(idleMs, 2 ** 31 - 1),
    );
  };
  ready.then(begin, () => undefined);
  const measure = () => measureRun(run.worker, run.dir, run.file.process_marker);
  const endDiskWatch = watchDisk(measure, workspaceBytes, (used) =>
    end(`The run's files take up ${used} bytes, its limit is ${workspaceBytes}.`, LESS),
  );
  return {
    alive: () => void idle.timer?.refresh(),
    stop: () => {
      clearTimeout(wall);
      idle.isOver = true;
      clearTimeout(idle.timer);
      endDiskWatch();
    },
  };
}
