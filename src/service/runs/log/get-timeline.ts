import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { RunWaiting } from '../../../contract/run.ts';
import type { TimelineEvent, timelineResponse } from '../../../contract/timeline.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import { whyWaiting } from '../../workers/why-waiting.ts';
import { requireRun, type RunRow } from '../find-run.ts';
import { textOrEmpty } from './conversation.ts';
import { executionsInLog } from './execution-at.ts';

/** Most characters of why a step failed; the log has all that it said. */
const REASON_MAX = 1000;

interface LogRow {
  position: number;
  attempt: number;
  type: string;
  at: Date;
  entry_key: string | null;
  data: Record<string, unknown>;
}

type Execution = ReturnType<Awaited<ReturnType<typeof executionsInLog>>>;
type Placed = LogRow & { execution: Execution; told: Date };

/** GET …/timeline: what happened to a run, in order (interface.md 4.2). */
export async function getTimeline(
  context: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<z.output<typeof timelineResponse>> {
  const { db } = context;
  const run = await requireRun(db, caller, runId);
  const rows = await db
    .selectFrom('run_events')
    .where('run_id', '=', run.id)
    .where('type', 'in', ['lifecycle', 'setup', 'agent_started'])
    .select(['position', 'attempt', 'type', 'at', 'entry_key', 'data'])
    .orderBy('position')
    .execute();
  const placed = placeInTime(rows, await executionsInLog(db, run.id));
  const events = [...Map.groupBy(placed, subjectOf).values()].flatMap(([first, ...more]) => {
    if (!first) return [];
    const begun = beginningOf(first);
    const event: TimelineEvent = {
      event_uuid: eventUuid(run.id, first.position),
      run_id: run.id,
      ...meaningOf(first, more.at(-1) ?? first, begun),
      occurred_at: new Date(begun).toISOString(),
      execution_id: first.execution.number,
    };
    return [{ begun, event }];
  });
  const told = events.toSorted((a, b) => a.begun - b.begun).map(({ event }) => event);
  const waiting = await whyWaiting(context, run);
  return { events: waiting ? [...told, waitingEvent(run, told.at(-1), waiting)] : told };
}

/** An id for an event that is the same in every answer. */
function eventUuid(runId: string, position: number): string {
  const hex = hash('sha256', `${runId}:${position}`);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

/**
 * Gives each line a time by the service's clock, never before the previous line and never after its
 * execution's end. Workers' times are corrected on arrival; this corrects older lines and remaining
 * errors (run-lifecycle.md, "Times").
 */
function placeInTime(
  rows: readonly LogRow[],
  executionAt: (position: number) => Execution,
): Placed[] {
  let latest = 0;
  return rows.map((row) => {
    const execution = executionAt(row.position);
    const end = row.type === 'lifecycle' ? undefined : execution.ended_at?.getTime();
    latest = Math.max(latest, Math.min(row.at.getTime(), end ?? Infinity));
    return { ...row, execution, told: new Date(latest) };
  });
}

/** Identifies a set-up step, which may be reported at its beginning and again at its end. */
function subjectOf({ type, attempt, entry_key, data, position }: LogRow): string {
  if (type !== 'setup') return `${position}`;
  return `${attempt} ${entry_key ?? `s:${textOrEmpty(data['step'])}:${textOrEmpty(data['started_at'])}`}`;
}

/** How long a step took by its worker's clock; undefined while it runs. */
function latencyOf({ data }: LogRow): number | undefined {
  if (data['finished_at'] === undefined) return undefined;
  return Date.parse(textOrEmpty(data['finished_at'])) - Date.parse(textOrEmpty(data['started_at']));
}

/** When a step began, even if only its end was reported. */
function beginningOf(first: Placed): number {
  const told = first.told.getTime();
  if (first.type !== 'setup') return told;
  const earliest = Math.min(told, first.execution.started_at?.getTime() ?? 0);
  const said = Date.parse(textOrEmpty(first.data['started_at']));
  if (said >= earliest && said <= told) return said;
  return Math.max(told - (latencyOf(first) ?? 0), earliest);
}

function meaningOf(
  { type, data }: LogRow,
  last: LogRow,
  begun: number,
): Pick<TimelineEvent, 'event_type' | 'payload'> {
  if (type === 'agent_started') return { event_type: 'agent_started', payload: data };
  if (type === 'setup')
    return {
      event_type: `setup_${textOrEmpty(data['step'])}`,
      payload: stepPayload(last, begun),
    };
  const payload = asRecord(data['payload']);
  return { event_type: textOrEmpty(data['event_type']), ...(payload ? { payload } : {}) };
}

function stepPayload(last: LogRow, begun: number): Record<string, unknown> {
  const latency_ms = latencyOf(last);
  return {
    title: last.data['title'],
    start_ts: new Date(begun).toISOString(),
    ...(latency_ms === undefined
      ? {}
      : { finish_ts: new Date(begun + latency_ms).toISOString(), latency_ms }),
    is_error: last.data['is_error'] ?? false,
    ...(last.data['is_error']
      ? { reason: textOrEmpty(last.data['output']).slice(-REASON_MAX).toWellFormed() }
      : {}),
  };
}

/** Why the run waits now, since it was queued or returned; this event is not in the log. */
function waitingEvent(
  { id, queued_at, reopened }: RunRow,
  last: TimelineEvent | undefined,
  waiting: RunWaiting,
): TimelineEvent {
  return {
    event_uuid: eventUuid(id, 0),
    run_id: id,
    event_type: 'oz_run_waiting',
    occurred_at: last?.occurred_at ?? queued_at.toISOString(),
    execution_id: reopened + 1,
    payload: waiting,
  };
}
