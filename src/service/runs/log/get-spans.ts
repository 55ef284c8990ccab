import { sql, type Selectable } from 'kysely';
import type { z } from 'zod';
import type { listSpansResponse, Span } from '../../../contract/span.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import type { Db, ExecutionsTable } from '../../tables.ts';
import { requireRun } from '../find-run.ts';

/** Lines per chunk. The spans of a complete chunk never change. */
const CHUNK_LINES = 10_000;
/** Most commands that are shown of a chunk. */
const CALLS_OF_CHUNK = 200;
/**
 * Most new chunks read for one answer: the latest ones, and the first. The next answer reads more.
 */
const CHUNKS_READ = 24;
/** Most chunks in the cache, for all runs together. */
const CHUNKS_KEPT = 300;
/** Only the latest executions are shown. */
const EXECUTIONS_MAX = 100;

type Execution = Selectable<ExecutionsTable>;

interface Step {
  position: number;
  type: 'tool_call' | 'setup' | 'agent_started';
  step: string | null;
  title: string | null;
  began: Date;
  ended: Date;
  over: boolean;
  failed: boolean;
  /** Whether its first line is in this part of the log. */
  begins: boolean;
}

/** A part of a log: its tool calls as spans, and the other steps. */
interface Chunk {
  calls: Span[];
  steps: Step[];
}

/** GET …/spans: where a run's time went. */
export async function getSpans(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
  limit: number,
): Promise<z.output<typeof listSpansResponse>> {
  const { id, log_position: end } = await requireRun(db, caller, runId);
  const executions = await db
    .selectFrom('executions')
    .where('run_id', '=', id)
    .selectAll()
    .orderBy('number', 'desc')
    .limit(EXECUTIONS_MAX)
    .execute();
  const oldestFirst = executions.toReversed();
  const chunks = await readChunks(db, id, end, executions);
  const steps = chunks.flatMap((chunk) => chunk.steps);
  const long = oldestFirst.flatMap((execution, at) =>
    longSpans(execution, oldestFirst[at + 1], steps),
  );
  const rest = steps.flatMap((step) => shortSpan(step, executions));
  const calls = chunks.flatMap((chunk) => chunk.calls);
  const all = [...long, ...rest, ...fitting(calls, limit - long.length - rest.length)];
  const spans = all.toSorted((a, b) => a.started_at.localeCompare(b.started_at));
  return { spans: spans.slice(-limit) };
}

const remembered = new Map<string, Promise<Chunk>>();

/** The log in chunks, as far as they are cached or among the latest, and the rest at its end. */
async function readChunks(
  db: Db,
  runId: string,
  end: number,
  executions: Execution[],
): Promise<Chunk[]> {
  const whole = Math.floor(end / CHUNK_LINES);
  const chunks: Chunk[] = [];
  for (let at = whole - 1, read = 0; at >= 0; at -= 1) {
    const key = `${runId} ${at}`;
    const known = remembered.get(key);
    if (!known && (read += 1) > CHUNKS_READ && at > 0) continue;
    const chunk = known ?? readChunk(db, runId, at, executions);
    remembered.delete(key);
    remembered.set(key, chunk);
    chunk.catch(() => remembered.delete(key));
    chunks.unshift(await chunk);
  }
  for (const key of remembered.keys()) if (remembered.size > CHUNKS_KEPT) remembered.delete(key);
  const steps = await readSteps(db, runId, whole * CHUNK_LINES, end);
  return [...chunks, toChunk(steps, executions)];
}

async function readChunk(
  db: Db,
  runId: string,
  at: number,
  executions: Execution[],
): Promise<Chunk> {
  const steps = await readSteps(db, runId, at * CHUNK_LINES, (at + 1) * CHUNK_LINES);
  // A call that continues beyond this chunk is shown with what the chunk says about it.
  const ended = steps.map((step) => ({ ...step, over: step.over || step.type === 'tool_call' }));
  const { calls, ...rest } = toChunk(ended, executions);
  return { ...rest, calls: fitting(calls, CALLS_OF_CHUNK) };
}

function toChunk(steps: Step[], executions: Execution[]): Chunk {
  const own = steps.filter((step) => step.type === 'tool_call' && (step.begins || step.failed));
  return {
    calls: own.flatMap((step) => shortSpan(step, executions)),
    steps: steps.filter(({ type }) => type !== 'tool_call'),
  };
}

/**
 * Tool calls and set-up steps in order, each with everything that its lines say. The needed fields
 * are extracted first, because sorting whole lines takes three times as long.
 */
async function readSteps(db: Db, runId: string, after: number, to: number): Promise<Step[]> {
  const { rows } = await sql<Step>`
    select min(position) as position, min(type) as type, min(step) as step,
      (array_agg(title order by position) filter (where title is not null))[1] as title,
      least(min(at), max(at) - coalesce(max(finished) - min(started), '0'::interval)) as began,
      max(at) as ended, bool_or(over) as over, bool_or(failed) as failed,
      bool_or(title is not null or kind is not null) or min(position) <= ${CHUNK_LINES}::int as begins
    from (
      select position, attempt, type, at, step, title, kind, started_at::timestamptz as started,
        finished_at::timestamptz as finished,
        coalesce(finished_at is not null or exit_code is not null
          or status in ('completed', 'failed', 'denied'), false) as over,
        coalesce(is_error = 'true' or status = 'failed' or exit_code <> '0', false) as failed,
        coalesce(entry_key, case type when 'setup' then concat('s:', step, started_at)
          else position::text end) as entry
      from run_events, jsonb_to_record(data) as line (step text, title text, kind text, status text, is_error text,
        exit_code text, started_at text, finished_at text)
      where run_id = ${runId} and type in ('tool_call', 'setup', 'agent_started')
        and position > ${after}::bigint and position <= ${to}::bigint
      offset 0
    ) as lines
    group by attempt, entry
    order by 1`.execute(db);
  return rows;
}

const has = (execution: Execution, position: number): boolean => execution.log_from <= position;

/** The long spans of an execution: waiting for a worker, the agent, and waiting for a person. */
function longSpans(execution: Execution, next: Execution | undefined, steps: Step[]): Span[] {
  const { number, queued_at, started_at, ended_at, outcome } = execution;
  const agent = steps.find(
    (step) =>
      step.type === 'agent_started' &&
      has(execution, step.position) &&
      !(next && has(next, step.position)),
  );
  const span = (kind: Span['kind'], title: string, from: Date, to: Date | null): Span => ({
    kind,
    title,
    started_at: from.toISOString(),
    ended_at: to?.toISOString() ?? null,
    execution_id: number,
    failed: false,
    count: 1,
  });
  return [
    span('queue', 'Waiting for a worker', queued_at, started_at ?? ended_at),
    ...(agent ? [span('agent', 'Agent', agent.began, ended_at)] : []),
    ...(outcome === 'BLOCKED' && ended_at
      ? [span('waiting', 'Waiting for an answer', ended_at, next?.queued_at ?? null)]
      : []),
  ];
}

function shortSpan(step: Step, newestFirst: Execution[]): Span[] {
  const execution = newestFirst.find((it) => has(it, step.position));
  if (!execution || step.type === 'agent_started') return [];
  const kind = step.type === 'tool_call' ? 'command' : step.step === 'clone' ? 'clone' : 'setup';
  const ended = step.over ? step.ended : execution.ended_at;
  return [
    {
      kind,
      title: step.title ?? 'Tool call',
      started_at: step.began.toISOString(),
      ended_at: ended?.toISOString() ?? null,
      execution_id: execution.number,
      position: step.position,
      failed: step.failed,
      count: 1,
    },
  ];
}

/** Merges neighbouring calls, more at a time in each round, until there are at most `max`. */
function fitting(calls: Span[], max: number): Span[] {
  for (let size = 1; ; size *= 2) {
    const merged = size === 1 ? calls : merge(calls, size);
    if (merged.length <= Math.max(1, max) || size > calls.length) return merged;
  }
}

function merge(calls: Span[], size: number): Span[] {
  const merged: Span[] = [];
  for (const call of calls) {
    const last = merged.at(-1);
    const alike = last?.failed === call.failed && last.execution_id === call.execution_id;
    if (!last || !alike || last.count >= size) merged.push({ ...call });
    else Object.assign(last, { ended_at: call.ended_at, count: last.count + 1 });
  }
  return merged;
}
