import { SENT_AT_HEADER } from '../../contract/lease.ts';

/** A smaller difference may be the time a request takes, so the clock counts as right. */
const TOLERANCE_MS = 2000;

interface WorkedBetween {
  started_at: Date | null;
  finished_at: Date | null;
}

/**
 * Converts times of a worker's clock to the service's (run-lifecycle.md, "Times"). They are shifted
 * by the difference that this call shows, but kept within their execution. `askedAt` is the
 * database's clock. If the worker does not send its own time and the latest of `times` is
 * impossible, that one is taken to be now.
 */
export function workerClock(
  request: Request,
  askedAt: Date,
  { started_at, finished_at }: WorkedBetween,
  times: readonly string[],
): (time: string) => string {
  const from = started_at?.getTime() ?? 0;
  const latest = Math.max(...times.map((time) => Date.parse(time)));
  const isPossible = latest > from - TOLERANCE_MS && latest < askedAt.getTime() + TOLERANCE_MS;
  const says = request.headers.has(SENT_AT_HEADER) || isPossible;
  const offset = says ? offsetOf(request, askedAt) : askedAt.getTime() - latest;
  const to = Math.max(from, (finished_at ?? askedAt).getTime());
  return (time) => new Date(Math.min(to, Math.max(from, Date.parse(time) + offset))).toISOString();
}

/** Whether this call shows that the worker's clock agrees with the service's. */
export function isClockRight(request: Request, askedAt: Date): boolean {
  return offsetOf(request, askedAt) === 0;
}

function offsetOf(request: Request, askedAt: Date): number {
  const sentAt = Date.parse(request.headers.get(SENT_AT_HEADER) ?? '');
  const difference = Number.isFinite(sentAt) ? askedAt.getTime() - sentAt : 0;
  return Math.abs(difference) < TOLERANCE_MS ? 0 : difference;
}
