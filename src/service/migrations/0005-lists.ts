import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A table for searchable texts, and indexes for every sort order of the list. */
export const lists: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`set local maintenance_work_mem = '256MB'`.execute(db);
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
    await addTrigrams(db);
  },
};

/** Columns with a filter each. Their indexes contain everything that a list may be sorted by. */
const FACETS = [
  'state',
  'config_name',
  'model_id',
  'creator_uid',
  'executor_uid',
  'source',
  'execution_location',
  'environment_id',
  'skill_spec',
  'schedule_id',
];
const ARTIFACT_TYPES = ['PLAN', 'PULL_REQUEST', 'SCREENSHOT', 'FILE', 'EXTERNAL_REFERENCE'];
/** Columns whose filters match many runs; the indexes of the sort orders contain them. */
const DENSE = 'state, source, execution_location, model_id, environment_id';
const KEYS = 'created_at, title_key, skill_key';
const TEACHING = 1000;

/**
 * An index entry may have at most 2,704 bytes, whatever users write, so keys are cut to 128
 * characters.
 */
const STATEMENTS = [
  `create table run_texts (
    run_id uuid not null,
    body text not null
  )`,
  `insert into run_texts (run_id, body) select id, search_text from runs order by created_at`,
  `create table search_words (word text primary key)`,
  `insert into search_words
    select distinct word from run_texts,
      regexp_split_to_table(lower(left(body, ${TEACHING})), '[^[:alnum:]]+') word
    where word ~ '^[[:alpha:]]{4,32}$'`,
  `drop index runs_by_update, runs_by_creation, runs_by_title, runs_by_skill, artifacts_of_run,
    ${FACETS.map((column) => `runs_of_${column}`).join(', ')}`,
  `alter table runs
    drop column search_text,
    add column title_key text not null generated always as (left(title, 128)) stored,
    add column skill_key text generated always as (left(skill_spec, 128)) stored`,
  `alter table run_texts add primary key (run_id),
    add foreign key (run_id) references runs on delete cascade`,
  `create index runs_by_update on runs (team_id, updated_at desc, id desc) include (created_at, ${DENSE})`,
  `create index runs_by_creation on runs (team_id, created_at desc, id desc) include (updated_at, ${DENSE})`,
  `create index runs_by_title on runs (team_id, title_key, id) include (${DENSE})`,
  `create index runs_by_skill on runs (team_id, skill_key, id) include (${DENSE})`,
  ...FACETS.map(
    (column) =>
      `create index runs_of_${column} on runs (team_id, ${column}, updated_at desc, id desc) include (${KEYS})`,
  ),
  `create index runs_changed_late on runs (team_id, updated_at desc, id desc) include (created_at, ${DENSE})
    where updated_at - created_at > interval '1 day'`,
  ...ARTIFACT_TYPES.flatMap((type) => [
    `drop index runs_with_${type.toLowerCase()}`,
    `create index runs_with_${type.toLowerCase()} on runs (team_id, updated_at desc, id desc) include (${KEYS})
      where artifact_types @> '{${type}}'::text[]`,
  ]),
  `alter table runs set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.02)`,
];

/** If pg_trgm cannot be installed, search works without it (docs/api.md). */
async function addTrigrams(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
  if (rows.length === 0) return;
  await sql`create index run_texts_like on run_texts using gin (body gin_trgm_ops)`.execute(db);
  await sql`create index search_words_like on search_words using gin (word gin_trgm_ops)`.execute(
    db,
  );
}
