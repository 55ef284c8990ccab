import { SENT_AT_HEADER } from '../../contract/lease.ts';

/** A clock that differs by less is taken to be right: so long a request may be on its way. */
const TOLERANCE_MS = 2000;

interface Execution {
  started_at: Date | null;
  finished_at: Date | null;
}

/**
 * Brings times of a worker's clock to the service's (run-lifecycle.md, "Times"). They are moved by the
 * difference that this call shows, but never out of their execution. `askedAt` is the database's clock. Of a
 * worker that does not say what time it has, the latest time in `times` says it where that cannot be right.
 */
export function workerClock(
  request: Request,
  askedAt: Date,
  { started_at, finished_at }: Execution,
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

/** Whether a call shows that its worker's clock goes like the service's. */
export function isClockRight(request: Request, askedAt: Date): boolean {
  return offsetOf(request, askedAt) === 0;
}

function offsetOf(request: Request, askedAt: Date): number {
  const sentAt = Date.parse(request.headers.get(SENT_AT_HEADER) ?? '');
  const difference = Number.isFinite(sentAt) ? askedAt.getTime() - sentAt : 0;
  return Math.abs(difference) < TOLERANCE_MS ? 0 : difference;
}
