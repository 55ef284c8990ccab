import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appMigrations } from '../../src/app/store/migrations.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Migrations } from '../../src/database/migrate.ts';
import { openTables } from '../../src/database/open-database.ts';
import { countLines } from '../../src/service/runs/count-lines.ts';
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from '../../src/service/migrations/list.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { narrowing, statementsOf } from '../support/migration-rules.ts';

/** The last steps from before the rule. */
const BEFORE = { service: '0005_lists', app: Object.keys(appMigrations).toSorted().at(-1) ?? '' };
const stepsAfter = (migrations: Migrations, last: string) =>
  Object.entries(migrations).filter(([name]) => name > last);

describe('migrations only expand, so that an older release goes on beside a newer one (CONTRIBUTING.md)', () => {
  it.each([
    ...stepsAfter(SERVICE_MIGRATIONS, BEFORE.service),
    ...stepsAfter(appMigrations, BEFORE.app),
  ])('%s', async (_, migration) => {
    const statements = await statementsOf(migration);
    expect(statements.length).toBeGreaterThan(0);
    expect(narrowing(statements)).toEqual([]);
    expect(migration).not.toHaveProperty('down');
  });

  it.each([
    'drop table runs',
    'alter table runs drop column title',
    'DROP INDEX CONCURRENTLY runs_by_end',
    'alter table runs rename column title to name',
    'alter table runs alter column title set not null',
    'alter table runs alter title type varchar(10)',
    'alter table runs alter column title set data type varchar(10)',
    'alter table runs add column a text not null',
    'alter table runs add column a text, add b text not null',
    'alter table runs add constraint short check (length(title) < 9)',
    'alter table runs add unique (title)',
    'create index runs_of_a on runs (a)',
    'create unique index concurrently runs_of_a on runs (a)',
    'truncate run_events',
    'delete from runs',
    "alter type state add value 'NEW'",
  ])('%s is refused', (statement) => {
    expect(narrowing([statement])).not.toEqual([]);
  });

  it.each([
    [['create table things (a text not null, unique (a))', 'create index on things (a)']],
    [['alter table runs add column a text']],
    [["alter table runs add column a text not null default ''"]],
    [['alter table runs add foreign key (a) references things on delete cascade not valid']],
    [['create index concurrently if not exists runs_of_a on runs (a)']],
    [['create function f() returns trigger language plpgsql as $$ begin delete from a; end $$']],
    [['create trigger t after update on runs for each row execute function f()']],
  ])('%s is not', (statements) => {
    expect(narrowing(statements)).toEqual([]);
  });
});

async function open(url: string, migrations: Migrations): Promise<Client> {
  const tables = await openTables({
    location: { url },
    schema: SERVICE_SCHEMA,
    migrations,
    log: silentLog,
  });
  await tables.close();
  const client = new Client({ connectionString: url, options: '-c search_path=runlink,public' });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** The schema of the release before executions. */
const OLDER = Object.fromEntries(
  Object.entries(SERVICE_MIGRATIONS).filter(([name]) => name < '0008'),
);

describe('a schema that is newer than the program', () => {
  it('is taken as it is, so that a process of the older release can start again', async () => {
    const url = await useEmptyDatabase();
    await open(url, SERVICE_MIGRATIONS);
    const client = await open(url, OLDER);
    const { rows } = await client.query('select count(*)::int from migrations');
    expect(rows).toEqual([{ count: Object.keys(SERVICE_MIGRATIONS).length }]);
  });
});

const T = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour));

/** Runs as the release before executions wrote them, straight into its tables. */
class OlderRelease {
  readonly #client: Client;
  readonly #team = randomUUID();

  constructor(client: Client) {
    this.#client = client;
  }

  async begin(): Promise<void> {
    await this.#client.query(`insert into teams values ($1, 'team', now())`, [this.#team]);
  }

  async create(columns: Record<string, unknown> = {}): Promise<string> {
    const id = randomUUID();
    const row = {
      id,
      team_id: this.#team,
      root_run_id: id,
      conversation_id: randomUUID(),
      title: 't',
      prompt: 'p',
      mode: 'normal',
      state: 'QUEUED',
      created_at: T(0),
      updated_at: T(0),
      queued_at: T(0),
      source: 'API',
      execution_location: 'REMOTE',
      creator_uid: 'u',
      creator: '{}',
      executor_uid: 'u',
      executor: '{}',
      config: '{}',
      metadata: '{}',
      attachments: '[]',
      interactive: false,
      log_position: 1,
      ...columns,
    };
    const names = Object.keys(row);
    await this.#client.query(
      `insert into runs (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
    await this.log(id, [['oz_run_created', 0]]);
    return id;
  }

  /** Timeline events of an hour each, the first of them at the log's end. */
  async log(
    id: string,
    events: [type: string, hour: number, payload?: Record<string, unknown>][],
  ): Promise<void> {
    for (const [event_type, hour, payload] of events)
      await this.#client.query(
        `insert into run_events (run_id, position, attempt, type, at, data)
         select $1, 1 + coalesce(max(position), 0), 1, $2, $3, $4 from run_events where run_id = $1`,
        event_type === 'agent_started'
          ? [id, 'agent_started', T(hour), { harness: 'codex' }]
          : [id, 'lifecycle', T(hour), { event_type, ...(payload ? { payload } : {}) }],
      );
  }

  /** A worker's word of what changed: lines added to and removed from each file. */
  async change(id: string, ...files: [additions: number, deletions: number][]): Promise<void> {
    await this.#client.query(
      `insert into run_events (run_id, position, attempt, type, at, data)
       select $1, 1 + coalesce(max(position), 0), 1, 'changes', now(), $2 from run_events where run_id = $1`,
      [id, { files: files.map(([additions, deletions]) => ({ additions, deletions })) }],
    );
  }

  async update(id: string, columns: Record<string, unknown>): Promise<void> {
    const names = Object.keys(columns);
    await this.#client.query(
      `update runs set ${names.map((name, index) => `${name} = $${index + 2}`).join()} where id = $1`,
      [id, ...Object.values(columns)],
    );
  }

  async executions(id: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#client.query<Record<string, unknown>>(
      `select number, log_from::int, queued_at, started_at, ended_at, worker_id, harness, outcome,
         status_message ->> 'message' as message, usage
       from executions where run_id = $1 order by number`,
      [id],
    );
    return rows;
  }
}

const NOTHING = {
  started_at: null,
  ended_at: null,
  worker_id: null,
  harness: null,
  outcome: null,
  message: null,
  usage: null,
};
const message = (text: string) => ({ status_message: JSON.stringify({ message: text }) });

describe('changed lines of runs from before they were kept (migration 0016)', () => {
  it('are counted after the start, once', async () => {
    const url = await useEmptyDatabase();
    const older = new OlderRelease(await open(url, OLDER));
    await older.begin();
    const [changed, idle] = [await older.create(), await older.create()];
    await older.change(changed, [3, 1]);
    await older.change(changed, [4, 2], [1, 0]);
    const client = await open(url, SERVICE_MIGRATIONS);
    const lines = async () => {
      await countLines({ database: { pool: client } });
      const { rows } = await client.query<Record<string, unknown>>(
        'select id, lines_added, lines_removed from runs',
      );
      return Object.fromEntries(
        rows.map((row) => [row['id'], [row['lines_added'], row['lines_removed']]]),
      );
    };
    expect(await lines()).toEqual({ [changed]: [5, 2], [idle]: [null, null] });
    await new OlderRelease(client).change(idle, [7, 7]);
    expect(await lines()).toEqual({ [changed]: [5, 2], [idle]: [7, 7] });
    const { rows } = await client.query('select counted_to from lines_progress');
    expect(rows).toEqual([{ counted_to: null }]);
  });
});

describe('executions of runs from before they were rows (migration 0008)', () => {
  it('are read out of the runs and their logs', async () => {
    const url = await useEmptyDatabase();
    const older = new OlderRelease(await open(url, OLDER));
    await older.begin();
    const queued = await older.create();
    const begun = { attempt: 1, lease_worker: 'w', started_at: T(1) };
    const working = await older.create({ state: 'INPROGRESS', ...begun });
    const ended = { ...begun, state: 'FAILED', finished_at: T(2), ...message('no') };
    const once = await older.create({ ...ended, usage: '{"total_tokens":3}' });
    await older.log(once, [['agent_started', 1]]);
    const twice = await older.create({ ...ended, reopened: 1, queued_at: T(5), finished_at: T(6) });
    await older.log(twice, [
      ['oz_run_claimed', 1, { worker_id: 'w' }],
      ['worker_container_ready', 2],
      ['agent_started', 2],
      ['oz_run_done', 3],
      ['oz_run_reopened', 5],
      ['oz_run_cancelled', 6],
    ]);
    await older.update(twice, { state: 'CANCELLED', ...message('cancelled') });
    await open(url, SERVICE_MIGRATIONS);
    expect(await older.executions(queued)).toEqual([]);
    const first = { ...NOTHING, number: 1, log_from: 1, queued_at: T(0) };
    const byWorker = { ...first, started_at: T(1), worker_id: 'w' };
    expect(await older.executions(working)).toEqual([byWorker]);
    const failed = { ended_at: T(2), outcome: 'FAILED', message: 'no', harness: 'codex' };
    expect(await older.executions(once)).toEqual([
      { ...byWorker, ...failed, usage: { total_tokens: 3 } },
    ]);
    expect(await older.executions(twice)).toEqual([
      { ...byWorker, started_at: T(2), ended_at: T(3), harness: 'codex', outcome: 'SUCCEEDED' },
      {
        ...first,
        number: 2,
        log_from: 6,
        queued_at: T(5),
        ended_at: T(6),
        outcome: 'CANCELLED',
        message: 'cancelled',
      },
    ]);
  });

  it('are kept while a process of the older release still changes runs', async () => {
    const url = await useEmptyDatabase();
    await open(url, OLDER);
    const older = new OlderRelease(await open(url, SERVICE_MIGRATIONS));
    await older.begin();
    const id = await older.create();
    await older.update(id, { state: 'PENDING', attempt: 1, lease_worker: 'lazy' });
    await older.update(id, { state: 'QUEUED', lease_hash: null, queued_at: T(0) });
    await older.update(id, { state: 'PENDING', attempt: 2, lease_worker: 'w' });
    expect(await older.executions(id)).toEqual([]);
    await older.update(id, { state: 'INPROGRESS', started_at: T(1), finished_at: null });
    const working = { ...NOTHING, number: 1, log_from: 1, queued_at: T(0), started_at: T(1) };
    expect(await older.executions(id)).toEqual([{ ...working, worker_id: 'w' }]);
    await older.update(id, { usage: '{"total_tokens":1}' });
    expect(await older.executions(id)).toEqual([{ ...working, worker_id: 'w' }]);
    await older.update(id, { state: 'CANCELLED', finished_at: T(2), ...message('stop') });
    await older.update(id, { usage: '{"total_tokens":2}' });
    const usage = { total_tokens: 2 };
    const first = { ...working, worker_id: 'w', ended_at: T(2), outcome: 'CANCELLED', usage };
    expect(await older.executions(id)).toEqual([{ ...first, message: 'stop' }]);
    await older.update(id, {
      state: 'QUEUED',
      reopened: 1,
      queued_at: T(3),
      finished_at: null,
      status_message: null,
      log_position: 9,
    });
    const second = { ...NOTHING, number: 2, log_from: 9, queued_at: T(3) };
    expect((await older.executions(id))[1]).toEqual(second);
    await older.update(id, { state: 'FAILED', finished_at: T(4), ...message('nobody came') });
    expect(await older.executions(id)).toEqual([
      { ...first, message: 'stop' },
      { ...second, ended_at: T(4), outcome: 'FAILED', message: 'nobody came', usage },
    ]);
  });
});
