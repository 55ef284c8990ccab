import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { AgentConfig } from '../../contract/agent-config.ts';
import type { UserProfile } from '../../contract/primitives.ts';
import type { RunSource } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { Attachment, ServiceTables, SkillRecord } from '../tables.ts';
import { announcement, type Topic } from '../waiting/changes.ts';
import { enqueue } from './run-queue.ts';

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

const SEARCHED_PROMPT = 4000;

/** What the fuzzy search looks at; of a long prompt its beginning. */
export function searchTextOf(run: { title: string; prompt: string; skillSpec: string }): string {
  return [run.title, run.skillSpec, run.prompt.slice(0, SEARCHED_PROMPT).toWellFormed()].join('\n');
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** What the configuration says, in the columns that lists filter by. */
function configColumns({ config, title, prompt, skill }: NewRun) {
  const skillSpec = config.skill_spec ?? config.skills?.[0];
  return {
    config: JSON.stringify(config),
    config_name: config.name ?? null,
    model_id: config.model_id ?? null,
    environment_id: config.environment_id ?? null,
    worker_host: config.worker_host ?? null,
    skill_spec: skillSpec ?? null,
    skill: jsonOrNull(skill),
    search_text: searchTextOf({ title, prompt, skillSpec: skillSpec ?? '' }),
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

function rowOf(id: string, run: NewRun, jobId: string | null) {
  const now = sql<Date>`now()`;
  return {
    ...originColumns(id, run),
    ...configColumns(run),
    id,
    team_id: run.teamId,
    title: run.title,
    prompt: run.prompt,
    mode: run.mode,
    state: 'QUEUED' as const,
    created_at: now,
    updated_at: now,
    queued_at: now,
    metadata: JSON.stringify(run.metadata),
    attachments: JSON.stringify(run.attachments ?? []),
    interactive: run.interactive ?? false,
    lane: run.lane ?? null,
    job_id: jobId,
    log_position: 1,
  };
}

/** Each pair in a row of its own, by which lists find it. */
async function insertMetadata(
  trx: Transaction<ServiceTables>,
  runId: string,
  { teamId, metadata }: NewRun,
): Promise<void> {
  const rows = Object.entries(metadata).map(([key, value]) => ({
    run_id: runId,
    team_id: teamId,
    key,
    value,
  }));
  if (rows.length > 0) await trx.insertInto('run_metadata').values(rows).execute();
}

/** Writes a run, its first timeline event and its job in the caller's transaction; answers its id. */
export async function insertRun(
  context: ServiceContext,
  trx: Transaction<ServiceTables>,
  run: NewRun,
): Promise<string> {
  const id = run.id ?? randomUUID();
  const jobId = run.lane === undefined ? null : await enqueue(context, trx, id, run.lane);
  const topics: Topic[] = [`team:${run.teamId}`];
  if (run.lane !== undefined) topics.push(`lane:${run.lane}`, 'lane:any');
  await trx
    .with('created', (q) =>
      q
        .insertInto('runs')
        .values(rowOf(id, run, jobId))
        .returning(['id', 'created_at']),
    )
    .with('logged', (q) =>
      q
        .insertInto('run_events')
        .columns(['run_id', 'position', 'attempt', 'type', 'at', 'data'])
        .expression((e) =>
          e
            .selectFrom('created')
            .select((s) => [
              'created.id',
              sql<number>`1`.as('position'),
              sql<number>`1`.as('attempt'),
              s.val('lifecycle').as('type'),
              'created.created_at',
              sql<string>`'{"event_type":"oz_run_created"}'::jsonb`.as('data'),
            ]),
        ),
    )
    .selectNoFrom(announcement(topics).as('announced'))
    .execute();
  await insertMetadata(trx, id, run);
  return id;
}
