import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { timelineResponse } from '../../../contract/timeline.ts';
import type { TimelineEvent } from '../../../contract/timeline.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import { requireRun } from '../find-run.ts';

interface Row {
  position: number;
  attempt: number;
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

/** The same event has the same id in every answer. */
function eventUuid(runId: string, position: number): string {
  const hex = createHash('sha256').update(`${runId}:${position}`).digest('hex');
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function setupPayload(data: Record<string, unknown>): Record<string, unknown> {
  const started = textOf(data['started_at']);
  const finished = data['finished_at'] === undefined ? undefined : textOf(data['finished_at']);
  return {
    title: data['title'],
    start_ts: started,
    ...(finished === undefined
      ? {}
      : { finish_ts: finished, latency_ms: Date.parse(finished) - Date.parse(started) }),
    is_error: data['is_error'] ?? false,
  };
}

function meaningOf(row: Row): Pick<TimelineEvent, 'event_type' | 'payload'> {
  if (row.type === 'agent_started') return { event_type: 'agent_started', payload: row.data };
  if (row.type === 'setup')
    return {
      event_type: `setup_${textOf(row.data['step'])}`,
      payload: setupPayload(row.data),
    };
  const payload = asRecord(row.data['payload']);
  return {
    event_type: textOf(row.data['event_type']),
    ...(payload ? { payload } : {}),
  };
}

/** A step of the set-up is reported when it starts and again when it ends: the last word counts. */
function lastWords(rows: readonly Row[]): Row[] {
  const keyOf = (row: Row): string =>
    row.type === 'setup'
      ? `${row.attempt} ${textOf(row.data['step'])} ${textOf(row.data['started_at'])}`
      : String(row.position);
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

/** GET …/timeline: what happened to a run, oldest first. */
export async function getTimeline(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<z.output<typeof timelineResponse>> {
  const run = await requireRun(db, caller, runId);
  const rows = await db
    .selectFrom('run_events')
    .where('run_id', '=', run.id)
    .where('type', 'in', ['lifecycle', 'setup', 'agent_started'])
    .select(['position', 'attempt', 'type', 'at', 'data'])
    .orderBy('position')
    .execute();
  return {
    events: lastWords(rows).map((row) => ({
      event_uuid: eventUuid(run.id, row.position),
      run_id: run.id,
      ...meaningOf(row),
      occurred_at: row.at.toISOString(),
      execution_id: row.attempt,
    })),
  };
}
