import { randomUUID } from 'node:crypto';
import { CompiledQuery, type Insertable, type Transaction } from 'kysely';
import type { AgentConfig } from '../../contract/agent-config.ts';
import type { UserProfile } from '../../contract/primitives.ts';
import type { RunSource } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { Attachment, RunsTable, ServiceTables, SkillRecord } from '../tables.ts';
import { announce, type Topic } from '../waiting/changes.ts';
import { jobInsertion } from './run-queue.ts';
import { learnWords, searchTextOf } from './search-text.ts';

/** A run as it is decided to be, before it exists. */
export interface NewRun {
  id?: string;
  teamId: string;
  prompt: string;
  title: string;
  mode: 'normal' | 'plan' | 'orchestrate';
  source: RunSource;
  config: AgentConfig;
  creator: UserProfile & { uid: string };
  executor: UserProfile & { uid: string };
  metadata: Record<string, string>;
  /** From `laneOf`; undefined for a run that its caller executes itself. */
  lane: number | undefined;
  interactive?: boolean | undefined;
  attachments?: Attachment[] | undefined;
  skill?: SkillRecord | undefined;
  parent?: { runId: string; rootRunId: string } | undefined;
  conversationId?: string | undefined;
  schedule?: { schedule_id: string; schedule_name: string; cron_schedule: string } | undefined;
  triggerUrl?: string | undefined;
}

/** Sources whose caller executes the run itself: no worker takes it (rules.md, The life of a run). */
export function isExecutedByCaller(source: RunSource): boolean {
  return source === 'LOCAL' || source === 'GITHUB_ACTION';
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function skillSpecOf(config: AgentConfig): string | null {
  return config.skill_spec ?? config.skills?.[0] ?? null;
}

/** What the configuration says, in the columns that lists filter by. */
function configColumns({ config, skill }: NewRun) {
  return {
    config: JSON.stringify(config),
    config_name: config.name ?? null,
    model_id: config.model_id ?? null,
    environment_id: config.environment_id ?? null,
    worker_host: config.worker_host ?? null,
    skill_spec: skillSpecOf(config),
    skill: jsonOrNull(skill),
  };
}

/** Where the run comes from and whose it is. */
function originColumns(id: string, run: NewRun) {
  const { parent, schedule, creator, executor, source } = run;
  return {
    root_run_id: parent?.rootRunId ?? id,
    parent_run_id: parent?.runId ?? null,
    conversation_id: run.conversationId ?? randomUUID(),
    source,
    execution_location: isExecutedByCaller(source) ? ('LOCAL' as const) : ('REMOTE' as const),
    schedule: jsonOrNull(schedule),
    schedule_id: schedule?.schedule_id ?? null,
    trigger_url: run.triggerUrl ?? null,
    creator_uid: creator.uid,
    creator: JSON.stringify(creator),
    executor_uid: executor.uid,
    executor: JSON.stringify(executor),
  };
}

/** What a new run has beside the times, which the database sets. */
const COLUMNS = [
  'id',
  'team_id',
  'root_run_id',
  'parent_run_id',
  'conversation_id',
  'title',
  'prompt',
  'mode',
  'state',
  'source',
  'execution_location',
  'schedule',
  'schedule_id',
  'trigger_url',
  'creator_uid',
  'creator',
  'executor_uid',
  'executor',
  'config',
  'config_name',
  'model_id',
  'environment_id',
  'skill_spec',
  'skill',
  'worker_host',
  'metadata',
  'attachments',
  'interactive',
  'lane',
  'job_id',
  'log_position',
] as const satisfies (keyof RunsTable)[];

function rowOf(
  id: string,
  run: NewRun,
  jobId: string | null,
): Pick<Insertable<RunsTable>, (typeof COLUMNS)[number]> {
  return {
    ...originColumns(id, run),
    ...configColumns(run),
    id,
    team_id: run.teamId,
    title: run.title,
    prompt: run.prompt,
    mode: run.mode,
    state: 'QUEUED',
    metadata: JSON.stringify(run.metadata),
    attachments: JSON.stringify(run.attachments ?? []),
    interactive: run.interactive ?? false,
    lane: run.lane ?? null,
    job_id: jobId,
    log_position: 1,
  };
}

const after = (index: number): string => `$${COLUMNS.length + index}`;

/** The run, its metadata pair by pair, its text and its first event. */
const INSERTION = `
  created as (
    insert into runs (${COLUMNS.join(', ')}, created_at, updated_at, queued_at)
    values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')}, now(), now(), now())
    returning id, team_id, metadata, created_at),
  paired as (
    insert into run_metadata (run_id, team_id, key, value)
    select id, team_id, pair.key, pair.value from created, jsonb_each_text(metadata) pair),
  searchable as (insert into run_texts (run_id, body) select id, ${after(1)} from created),
  logged as (
    insert into run_events (run_id, position, attempt, type, at, data)
    select id, 1, 1, 'lifecycle', created_at, '{"event_type":"oz_run_created"}' from created)
  select from created`;

/** One statement for all of a run: so it is one round trip, planned once for each connection. */
async function insertion(context: ServiceContext, id: string, run: NewRun, body: string) {
  if (run.lane === undefined) {
    const row = rowOf(id, run, null);
    const values = [...COLUMNS.map((column) => row[column]), body];
    return { name: 'runlink_insert_run', text: `with ${INSERTION}`, values };
  }
  const job = await jobInsertion(context, id, run.lane);
  const row = rowOf(id, run, job.id);
  return {
    name: 'runlink_insert_queued_run',
    text: `with job as (${job.text.replace('$1', () => after(2))}), ${INSERTION}`,
    values: [...COLUMNS.map((column) => row[column]), body, job.payload],
  };
}

function topicsOf({ teamId, lane }: NewRun): Topic[] {
  const team: Topic = `team:${teamId}`;
  return lane === undefined ? [team] : [team, `lane:${lane}`, 'lane:any'];
}

/**
 * Writes a run, its first timeline event and its job, all or nothing: in the caller's transaction, or
 * in one of its own where there is none. Answers the run's id.
 */
export async function insertRun(
  context: ServiceContext,
  trx: Transaction<ServiceTables> | undefined,
  run: NewRun,
): Promise<string> {
  const id = run.id ?? randomUUID();
  const { title, prompt, config } = run;
  const body = searchTextOf({ title, prompt, skillSpec: skillSpecOf(config) });
  await learnWords(context, trx ?? context.db, body);
  const statement = await insertion(context, id, run, body);
  if (trx) {
    await trx.executeQuery(CompiledQuery.raw(statement.text, statement.values));
    await announce(trx, topicsOf(run));
  } else {
    await context.database.pool.query(statement);
    context.changes.spread(topicsOf(run));
  }
  return id;
}
