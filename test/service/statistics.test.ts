import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Statistics } from '../../src/contract/statistics.ts';
import { countRuns } from '../../src/service/statistics/count-runs.ts';
import { driveNewTeam, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ENVIRONMENT = 'abcdefghijklmnopqrstuv';

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(() =>
    startTestService({
      config: { environments: [{ id: ENVIRONMENT, name: 'widgets', link_sharing: true }] },
    }),
  ));
});
afterAll(() => service.close());

/** Runs one after the other to this end; answers its id. */
async function finished(
  state: string,
  body: Record<string, unknown> = {},
  by = runs,
): Promise<string> {
  const id = await by.create(body);
  const lease = await by.begin();
  await by.report(lease, 'complete', {
    state,
    message: 'Over.',
    last_signal: 0,
    usage: { inference_cost_usd: 0.25, total_tokens: 100 },
  });
  return id;
}

async function set(id: string, columns: Record<string, Date>): Promise<void> {
  await service.service.context.db.updateTable('runs').set(columns).where('id', '=', id).execute();
}

async function statistics(query = '', by = runs): Promise<Statistics> {
  await countRuns(service.service.context);
  const { status, body } = await by.ask<Statistics>('GET', `/agent/statistics${query}`);
  expect(status).toBe(200);
  return body;
}

/** Counting happens in the background. */
const LONGEST = { timeout: 60_000 };

type Counted = 'runs' | 'succeeded' | 'failed' | 'blocked' | 'total_tokens';

/** Does the work and waits until so much more is counted; answers the statistics then. */
async function countedBy(
  work: () => Promise<unknown>,
  more: Partial<Record<Counted, number>>,
): Promise<{ before: Statistics; after: Statistics }> {
  const before = await statistics();
  await work();
  return vi.waitFor(async () => {
    const after = await statistics();
    const names = Object.keys(more) as Counted[];
    const counted = names.map((name) => [name, after.total[name] - before.total[name]]);
    expect(Object.fromEntries(counted)).toEqual(more);
    return { before, after };
  }, LONGEST);
}

const ENDS = ['SUCCEEDED', 'FAILED', 'BLOCKED'] as const;
const dayAt = (day: number): string => new Date(Date.UTC(2020, 0, 1 + day)).toISOString();
type Span = [number, number];
/** From the earlier to the day after the later one. */
const ends = ([a, b]: Span): [string, string] => [dayAt(Math.min(a, b)), dayAt(Math.max(a, b) + 1)];

async function teamNamed(name: string): Promise<string> {
  const { db } = service.service.context;
  const team = db.selectFrom('teams').where('name', '=', name).select('id');
  return (await team.executeTakeFirstOrThrow()).id;
}

/** A run that was created on a day and has ended; answers its id. */
async function endedOn(
  key: string,
  { day, person, state }: { day: number; person: number; state: string },
): Promise<string> {
  const body = { prompt: 'Count', metadata: { 'runlink.actor': `person-${person}` } };
  const created = await service.request('POST', '/agent/runs', { key, body });
  const { run_id } = (await created.json()) as { run_id: string };
  await service.service.context.database.pool.query(
    `update runs set state = $2, created_at = $3, finished_at = now(), updated_at = clock_timestamp()
     where id = $1`,
    [run_id, state, dayAt(day)],
  );
  return run_id;
}

async function changeEnds(ids: string[]): Promise<void> {
  await service.service.context.database.pool.query(
    `update runs set state = 'CANCELLED', metadata = '{"runlink.actor": "person-9"}',
       updated_at = clock_timestamp() where id = any($1)`,
    [ids],
  );
}

async function allCounted(team: string): Promise<void> {
  await vi.waitFor(async () => {
    await countRuns(service.service.context);
    const { rows } = await service.service.context.database.pool.query(
      `select id from runs left join run_facts on run_id = id and outcome = state
         where runs.team_id = $1 and run_id is null`,
      [team],
    );
    expect(rows).toEqual([]);
  }, LONGEST);
}

/** Puts the months back to how migration 0018 left them. */
async function forgetMonths(): Promise<void> {
  const { pool } = service.service.context.database;
  await pool.query(`insert into months_progress
    select '00000000-0000-0000-0000-000000000000', '', '-infinity', ''
    where not exists (select from months_progress)`);
  await pool.query('update statistics set in_month = null');
}

async function byPerson(key: string, span: Span): Promise<unknown> {
  const [from, to] = ends(span);
  const query = `from=${from}&to=${to}&bucket=month&group_by=person`;
  const answer = await service.request('GET', `/agent/statistics?${query}`, { key });
  const { groups = [] } = (await answer.json()) as Statistics;
  return groups.map((it) => [it.key, it.runs, it.succeeded, it.blocked, it.cancelled]);
}

async function byDays(team: string, span: Span): Promise<unknown> {
  const sum = (name: string): string => `coalesce(sum(${name}), 0)::int`;
  const { rows } = await service.service.context.database.pool.query<unknown[]>({
    text: `select key, ${['runs', 'succeeded', 'blocked', 'cancelled'].map(sum).join(', ')}
      from statistics where team_id = $1 and dimension = 'person' and day >= $2 and day < $3
      group by 1 having sum(runs) > 0 order by 2 desc, 1`,
    values: [team, ...ends(span)],
    rowMode: 'array',
  });
  return rows;
}

describe('statistics', () => {
  it('count ended runs by outcome, with tokens and cost', async () => {
    const { before, after } = await countedBy(
      async () => {
        await finished('SUCCEEDED');
        await finished('FAILED');
        await runs.create();
      },
      { runs: 2, succeeded: 1, failed: 1, total_tokens: 200 },
    );
    expect(after.total.cost_usd - before.total.cost_usd).toBeCloseTo(0.5);
    expect(after.buckets).toHaveLength(30);
    expect(after.buckets.at(-1)?.runs).toBe(after.total.runs);
    expect(after.now).toMatchObject({ queued: 1, working: 0 });
    await runs.begin();
    expect((await statistics()).now).toMatchObject({ queued: 0, working: 1 });
  });

  it('count a run that goes on and ends again by its last end alone', async () => {
    let id = '';
    await countedBy(async () => (id = await finished('BLOCKED')), { runs: 1, blocked: 1 });
    await countedBy(() => runs.ask('POST', `/agent/runs/${id}/followups`, { message: 'Yes' }), {
      runs: -1,
      blocked: -1,
    });
    const { after } = await countedBy(
      async () => runs.complete(await runs.begin(), 'SUCCEEDED', 1),
      { runs: 1, succeeded: 1 },
    );
    expect(after.total.blocked).toBe(0);
  });

  it('count each run once, however many nodes count at once', async () => {
    const { context } = service.service;
    const { before, after } = await countedBy(
      async () => {
        for (let at = 0; at < 3; at += 1) await finished('SUCCEEDED');
        await Promise.all(Array.from({ length: 6 }, () => countRuns(context)));
      },
      { runs: 3 },
    );
    expect(after.total.succeeded).toBe(before.total.succeeded + 3);
  });

  it('group by what runs have in common, by names, most runs first', async () => {
    const metadata = { 'runlink.repository': 'acme/widgets', 'runlink.actor': 'octocat' };
    const config = { environment_id: ENVIRONMENT };
    const team = await driveNewTeam(service);
    for (const body of [{}, {}, { config, metadata }]) await finished('SUCCEEDED', body, team);
    await vi.waitFor(async () => expect((await statistics('', team)).total.runs).toBe(3), LONGEST);
    const by = async (group: string) => (await statistics(`?group_by=${group}`, team)).groups ?? [];
    expect(await by('environment')).toMatchObject([
      { key: null, name: 'No environment', runs: 2 },
      { key: ENVIRONMENT, name: 'widgets', runs: 1, success_rate: 1 },
    ]);
    expect((await by('repository')).map(({ name }) => name)).toContain('acme/widgets');
    expect((await by('person')).map(({ name, runs: count }) => [name, count])).toEqual([
      [expect.stringMatching(/^team-/), 2],
      ['@octocat', 1],
    ]);
  });

  it('tell how long runs took, within a tenth', async () => {
    const day = new Date('2020-02-03T12:00:00Z');
    for (const seconds of [60, 100, 300]) {
      const id = await finished('SUCCEEDED');
      const ended_at = new Date(day.getTime() + seconds * 1000);
      const { db } = service.service.context;
      await db
        .updateTable('executions')
        .set({ started_at: day, ended_at })
        .where('run_id', '=', id)
        .execute();
      await set(id, { created_at: day, updated_at: new Date() });
    }
    await vi.waitFor(async () => {
      const span = '?from=2020-02-01T00:00:00Z&to=2020-03-01T00:00:00Z&bucket=week';
      const { total, buckets } = await statistics(span);
      expect(buckets.map((it) => [it.start.slice(0, 10), it.runs])).toEqual([
        ['2020-01-27', 0],
        ['2020-02-03', 3],
        ['2020-02-10', 0],
        ['2020-02-17', 0],
        ['2020-02-24', 0],
      ]);
      expect(Math.abs((total.median_seconds ?? 0) - 100)).toBeLessThan(20);
    }, LONGEST);
  });

  it('answer by months and days what the days alone say', async () => {
    const key = await service.personalKey('many days', 'owner');
    const team = await teamNamed('many days');
    const day = fc.integer({ min: 0, max: 460 });
    const run = fc.record({
      day,
      person: fc.nat(4),
      state: fc.constantFrom(...ENDS),
      later: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(run, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(day, day), { minLength: 20, maxLength: 20 }),
        fc.boolean(),
        async (ended, spans, isOld) => {
          const ids: string[] = [];
          for (const it of ended) ids.push(await endedOn(key, it));
          await allCounted(team);
          // Some end otherwise, for somebody else; retention takes others.
          await changeEnds(ids.filter((_, at) => ended[at]?.later));
          await allCounted(team);
          await service.service.context.db
            .deleteFrom('runs')
            .where('id', 'in', ids.slice(0, 3))
            .execute();
          if (isOld) await forgetMonths();
          for (const span of spans)
            expect(await byPerson(key, span)).toEqual(await byDays(team, span));
          await countRuns(service.service.context);
          for (const span of spans)
            expect(await byPerson(key, span)).toEqual(await byDays(team, span));
        },
      ),
      { numRuns: process.env['RUNLINK_TEST_LONG'] === undefined ? 3 : 30, seed: 15 },
    );
  });

  it('are of one’s own team alone', async () => {
    const key = await service.personalKey('others', 'other');
    const answer = await service.request('GET', '/agent/statistics', { key });
    expect(((await answer.json()) as Statistics).total.runs).toBe(0);
  });

  it.each([
    ['from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['from=1990-01-01T00:00:00Z', 'bucket'],
    ['group_by=colour', 'group_by'],
    ['to=9999-12-31T23:59:59.999999999Z', 'to'],
    ['to=0001-01-01T00:00:00-15:59', 'to'],
    ['from=9999-12-30T00:00:00Z&to=9999-12-31T00:00:00Z&bucket=week&group_by=model', 'to'],
    ['from[gte]=2026-01-01T00:00:00Z', 'from'],
  ])('refuse %s', async (query, field) => {
    const { status, body } = await runs.ask<{ field?: string }>(
      'GET',
      `/agent/statistics?${query}`,
    );
    expect([status, body.field]).toEqual([400, field]);
  });
});
