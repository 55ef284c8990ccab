import { Client } from 'pg';

/**
 * Fills the tables with runs as years of use would leave them, straight in SQL. Ninety runs of a
 * hundred have ended; some filters match half of all runs, some a handful, some only old ones:
 * every plan has to be right for dense, sparse and clustered matches alike.
 */
export async function fillRuns(url: string, teamId: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url, options: '-c search_path=runlink,public' });
  await client.connect();
  try {
    await client.query(`set statement_timeout = 0; set maintenance_work_mem = '1GB'`);
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid in ('runs'::regclass, 'run_texts'::regclass, 'run_metadata'::regclass, 'artifacts'::regclass) and not i.indisunique`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(INSERT_RUNS, [teamId, count]);
    await client.query(INSERT_EXECUTIONS);
    await client.query(INSERT_TEXTS);
    await client.query(INSERT_WORDS);
    await client.query(INSERT_METADATA);
    await client.query(INSERT_ARTIFACTS, [teamId]);
    for (const { definition } of indexes) await client.query(definition);
    await client.query('vacuum (analyze) runs');
    await client.query('vacuum (analyze) executions');
    await client.query('vacuum (analyze) run_texts');
    await client.query('vacuum (analyze) search_words');
    await client.query('vacuum (analyze) run_metadata');
    await client.query('vacuum (analyze) artifacts');
  } finally {
    await client.end();
  }
}

/**
 * A number that seems drawn by lot: what runs have in common is to be chance where it is chance in
 * use.
 */
const lot = (seed: number, below: number): string =>
  `(hashint4extended(n, ${seed}) & 4294967295) % ${below}`;

const WORDS = `
  (array['Fix','Rewrite','Review','Document','Speed up','Secure','Upgrade','Remove'])[1 + ${lot(1, 8)}] || ' ' ||
  (array['the login','a flaky','our billing','the search','one slow','the export'])[1 + ${lot(2, 6)}] || ' ' ||
  (array['test','page','worker','query','endpoint','migration','cache'])[1 + ${lot(3, 7)}] || ' ' || n`;

/**
 * Schedules live for a twentieth of the time, all their runs under one title; models come and go.
 */
const INSERT_RUNS = `
  insert into runs (
    id, team_id, root_run_id, conversation_id, title, prompt, mode, state, created_at, updated_at,
    queued_at, started_at, finished_at, source, execution_location, schedule_id, creator_uid, creator,
    executor_uid, executor, config, config_name, model_id, environment_id, skill_spec, metadata,
    attachments, interactive, artifact_types)
  select id, $1, case when n % 20 = 0 then id else first_value(id) over (partition by n / 20 order by n) end, gen_random_uuid(),
    case when source = 'SCHEDULED_AGENT' then 'Nightly job ' || schedule else words end,
    'Please look at issue ' || n || ' and ' || md5(n::text) || ' then change what is needed in module ' || md5((n % 5000)::text),
    'normal',
    case when n > $2 - 50 then 'QUEUED' when chance < 80 then 'SUCCEEDED' when chance < 88 then 'FAILED'
      when chance < 92 then 'CANCELLED' when chance < 96 then 'ERROR' else 'BLOCKED' end,
    created, created + case when n % 97 = 0 then interval '3 days' else (n % 3600) * interval '1 s' end, created, created,
    created + (5 + ${lot(19, 3000)}) * interval '1 s',
    source, case when ${lot(4, 50)} = 7 then 'LOCAL' else 'REMOTE' end,
    case when source = 'SCHEDULED_AGENT' then md5('schedule' || schedule)::uuid end,
    'user-' || ${lot(5, 500)}, '{"type":"user","uid":"u"}', 'user-' || ${lot(5, 1000)}, '{"type":"user","uid":"u"}',
    '{"name":"nightly"}', 'config-' || ${lot(6, 300)}, 'model-' || (${lot(7, 4)} + (4 * (n - 1)) / $2),
    case when ${lot(8, 4)} > 0 then 'environment' || lpad((${lot(9, 400)})::text, 11, '0') end,
    case when ${lot(10, 3)} = 0 then 'acme/widgets:skills/skill' || ${lot(11, 40)} || '/SKILL.md' end,
    jsonb_build_object('ticket', 'T-' || ${lot(12, 50_000)}, 'lane', 'l' || ${lot(13, 3)}),
    '[]', false,
    case when ${lot(14, 5)} = 0 then '{PULL_REQUEST,EXTERNAL_REFERENCE}'::text[]
      when ${lot(15, 2000)} = 1 then '{PLAN}'::text[] else '{}'::text[] end
  from (
    select n, gen_random_uuid() as id, now() - ($2 - n) * interval '40 s' as created, ${WORDS} as words,
      ${lot(16, 100)} as chance, (20 * (n - 1)) / $2 * 10 + ${lot(17, 10)} as schedule,
      case when kind < 600 then 'API' when kind < 900 then 'SCHEDULED_AGENT' when kind = 999 then 'CLI' else 'LINEAR' end as source
    from (select n, ${lot(18, 1000)} as kind from generate_series(1, $2::int) n) runs) runs`;

const INSERT_EXECUTIONS = `
  insert into executions (run_id, number, log_from, queued_at, started_at, ended_at, outcome)
  select id, 1, 1, queued_at, started_at, finished_at, state from runs where state <> 'QUEUED'`;

const INSERT_TEXTS = `
  insert into run_texts (run_id, body)
  select id, title || E'\\n' || coalesce(skill_spec, '') || E'\\n' || prompt from runs order by created_at`;

const INSERT_WORDS = `
  insert into search_words
  select distinct word from run_texts, regexp_split_to_table(lower(body), '[^[:alnum:]]+') word
  where word ~ '^[[:alpha:]]{4,32}$' on conflict do nothing`;

const INSERT_METADATA = `
  insert into run_metadata (run_id, team_id, key, value)
  select r.id, r.team_id, m.key, m.value from runs r, jsonb_each_text(r.metadata) m`;

const INSERT_ARTIFACTS = `
  insert into artifacts (uid, run_id, team_id, artifact_type, created_at, identity, locator, data)
  select gen_random_uuid(), id, $1, 'EXTERNAL_REFERENCE', created_at, locator, locator,
    jsonb_build_object('reference_type', 'pull_request', 'url', locator)
  from (select id, created_at, 'https://github.com/acme/widgets/pull/' || row_number() over () as locator from runs) r`;
