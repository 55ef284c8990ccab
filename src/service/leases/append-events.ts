import type { endpoints } from '../../contract/endpoints.ts';
import type { WorkerEvent } from '../../contract/event.ts';
import { retryConflicts } from '../../database/failure.ts';
import { indexed } from '../../database/indexed.ts';
import { recordPlan } from '../artifacts/store-content.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { MOMENT, appendToLog, type NewEvent } from '../runs/log/append.ts';
import type { Trx } from '../tables.ts';
import type { Topic } from '../waiting/changes.ts';
import { isStopping, leaseLost, requireLease } from './held-run.ts';
import { say } from './say.ts';
import { isClockRight, workerClock } from './worker-clock.ts';

/**
 * Events of these types are in the timeline, so they update `updated_at`; other log entries do not
 * (interface.md 2.1).
 */
const TIMELINE_TYPES = new Set<WorkerEvent['type']>(['setup', 'agent_started']);

/** POST …/events: appends the events that the run's log does not have yet. */
export async function appendEvents(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.appendEvents>,
): Promise<{ next_seq: number }> {
  const next = await appendPlainly(context, call);
  if (next !== undefined) return { next_seq: next };
  const { caller, params, request, body } = call;
  const held = await requireLease(context.db, caller, params.runId, request);
  return retryConflicts(() =>
    context.db.transaction().execute(async (trx) => {
      const run = await lockRun(trx, held.id);
      if (!run || run.attempt !== held.attempt || !run.lease_hash) throw leaseLost();
      if (run.state !== 'INPROGRESS' && !isStopping({ ...held, ...run })) throw leaseLost();
      const times = body.events.map(({ at }) => at);
      const onOurClock = workerClock(request, held.asked_at, run, times);
      return { next_seq: await append(context, trx, run, body.events, onOurClock) };
    }),
  );
}

/**
 * The key that events about the same thing share, so that the log can be read by entries
 * (contract/entry.ts).
 */
function entryKeyOf(event: WorkerEvent): string | null {
  if (event.type === 'message') return `m:${indexed(event.message_id)}`;
  if (event.type === 'thought') return `t:${indexed(event.message_id)}`;
  if (event.type === 'tool_call') return `c:${indexed(event.call_id)}`;
  if (event.type === 'setup') return `s:${event.step}:${event.started_at}`;
  return event.type === 'plan' ? 'plan' : null;
}

/** The events that continue the log, up to the first gap. */
function freshEvents(events: readonly WorkerEvent[], nextSeq: number): WorkerEvent[] {
  const sorted = events.filter(({ seq }) => seq >= nextSeq).toSorted((a, b) => a.seq - b.seq);
  const fresh: WorkerEvent[] = [];
  for (const event of sorted) {
    const expected = nextSeq + fresh.length;
    if (event.seq > expected) break;
    if (event.seq === expected) fresh.push(event);
  }
  return fresh;
}

/** An event in the log's form, with its times converted to our clock. */
function toLine(event: WorkerEvent, onOurClock: (time: string) => string): NewEvent {
  const { seq, at, type, raw, ...data } = event;
  const line = { seq, at: onOurClock(at), type, entry_key: entryKeyOf(event), raw: raw ?? null };
  if (event.type !== 'setup') return { ...line, data };
  const { started_at, finished_at } = event;
  return {
    ...line,
    data: {
      ...data,
      started_at: onOurClock(started_at),
      ...(finished_at === undefined ? {} : { finished_at: onOurClock(finished_at) }),
    },
  };
}

async function append(
  context: ServiceContext,
  trx: Trx,
  run: LockedRun,
  events: readonly WorkerEvent[],
  onOurClock: (time: string) => string,
): Promise<number> {
  const fresh = freshEvents(events, run.log_next_seq);
  const nextSeq = run.log_next_seq + fresh.length;
  if (fresh.length === 0) return nextSeq;
  const usage = fresh.findLast((event) => event.type === 'usage')?.usage;
  const inTimeline = fresh.some(({ type }) => TIMELINE_TYPES.has(type));
  const watched: Topic[] = inTimeline ? [`run:${run.id}`, `team:${run.team_id}`] : [];
  await appendToLog(trx, run.id, {
    events: fresh.map((event) => toLine(event, onOurClock)),
    set: {
      log_next_seq: nextSeq,
      ...(usage ? { usage: JSON.stringify(usage) } : {}),
      ...(inTimeline ? { updated_at: MOMENT } : {}),
    },
    announce: [`log:${run.id}`, ...watched],
  });
  const plan = fresh.findLast((event) => event.type === 'plan');
  if (plan) await recordPlan(context, trx, run.id, plan.entries);
  return nextSeq;
}

/**
 * Whether an event can be appended without reading the run's row first. Set-up steps and plans
 * cannot; a plan is also an artifact.
 */
function isPlain({ type }: WorkerEvent): boolean {
  return type !== 'setup' && type !== 'plan';
}

/** The usual case: exactly the next events of the log, from a worker whose clock is right. */
async function appendPlainly(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.appendEvents>,
): Promise<number | undefined> {
  const { events } = call.body;
  const first = events[0]?.seq ?? 0;
  const isNext = events.every((event, index) => event.seq === first + index && isPlain(event));
  if (!isNext || !isClockRight(call.request, new Date())) return undefined;
  const written = await say(context, call, {
    from: 'INPROGRESS',
    lines: events.map((event) => toLine(event, (time) => new Date(time).toISOString())),
    next_seq: first,
    shown: events.some(({ type }) => TIMELINE_TYPES.has(type)),
    usage: events.findLast((event) => event.type === 'usage')?.usage,
  });
  return written ? first + events.length : undefined;
}
