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
       where i.indrelid in ('runs'::regclass, 'run_metadata'::regclass, 'artifacts'::regclass) and not i.indisunique`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(INSERT_RUNS, [teamId, count]);
    await client.query(INSERT_METADATA);
    await client.query(INSERT_ARTIFACTS, [teamId]);
    for (const { definition } of indexes) await client.query(definition);
    await client.query('vacuum (analyze) runs');
    await client.query('vacuum (analyze) run_metadata');
    await client.query('vacuum (analyze) artifacts');
  } finally {
    await client.end();
  }
}

const INSERT_RUNS = `
  insert into runs (
    id, team_id, root_run_id, conversation_id, title, prompt, mode, state, created_at, updated_at,
    queued_at, finished_at, source, execution_location, schedule_id, creator_uid, creator,
    executor_uid, executor, config, config_name, model_id, environment_id, skill_spec, metadata,
    attachments, interactive, search_text, artifact_types)
  select id, $1, case when n % 20 = 0 then id else first_value(id) over (partition by n / 20 order by n) end, gen_random_uuid(),
    title, prompt, 'normal',
    case when n > $2 - 50 then 'QUEUED' when n % 100 < 80 then 'SUCCEEDED' when n % 100 < 88 then 'FAILED'
      when n % 100 < 92 then 'CANCELLED' when n % 100 < 96 then 'ERROR' else 'BLOCKED' end,
    created, created + (n % 3600) * interval '1 s', created, created,
    case when n % 10 < 6 then 'API' when n % 10 < 9 then 'SCHEDULED_AGENT' when n % 1000 = 999 then 'CLI' else 'LINEAR' end,
    case when n % 50 = 7 then 'LOCAL' else 'REMOTE' end,
    case when n % 10 between 6 and 8 then md5('schedule' || (n % 200))::uuid end,
    'user-' || (n % 500), '{"type":"user","uid":"u"}', 'user-' || (n % 1000), '{"type":"user","uid":"u"}',
    '{"name":"nightly"}', 'config-' || (n % 300), 'model-' || (n % 7),
    case when n % 4 > 0 then 'environment' || lpad((n % 400)::text, 11, '0') end, skill,
    jsonb_build_object('ticket', 'T-' || (n % 50000), 'lane', 'l' || (n % 3)),
    '[]', false, title || E'\\n' || coalesce(skill, '') || E'\\n' || prompt,
    case when n % 5 = 0 then '{PULL_REQUEST,EXTERNAL_REFERENCE}'::text[] when n % 2000 = 1 then '{PLAN}'::text[] else '{}'::text[] end
  from (
    select n, gen_random_uuid() as id,
      now() - ($2 - n) * interval '40 s' as created,
      (array['Fix','Rewrite','Review','Document','Speed up','Secure','Upgrade','Remove'])[1 + n % 8] || ' ' ||
      (array['the login','a flaky','our billing','the search','one slow','the export'])[1 + (n / 8) % 6] || ' ' ||
      (array['test','page','worker','query','endpoint','migration','cache'])[1 + (n / 48) % 7] || ' ' || n as title,
      'Please look at issue ' || n || ' and ' || md5(n::text) || ' then change what is needed in module ' || md5((n % 5000)::text) as prompt,
      case when n % 3 = 0 then 'acme/widgets:skills/skill' || (n % 120) || '/SKILL.md' end as skill
    from generate_series(1, $2::int) n) runs`;

const INSERT_METADATA = `
  insert into run_metadata (run_id, team_id, key, value)
  select r.id, r.team_id, m.key, m.value from runs r, jsonb_each_text(r.metadata) m`;

const INSERT_ARTIFACTS = `
  insert into artifacts (uid, run_id, team_id, artifact_type, created_at, identity, locator, data)
  select gen_random_uuid(), id, $1, 'EXTERNAL_REFERENCE', created_at, locator, locator,
    jsonb_build_object('reference_type', 'pull_request', 'url', locator)
  from (select id, created_at, 'https://github.com/acme/widgets/pull/' || row_number() over () as locator from runs) r`;
