import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/contract/problem.ts';
import type { RunItem } from '../../src/contract/run.ts';
import { insertRun } from '../../src/service/runs/create/insert-run.ts';
import { driveNewTeam, startDriver, type RunDriver } from '../support/run-driver.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestService, type TestService } from '../support/service.ts';

interface Page {
  runs: RunItem[];
  page_info: { has_next_page: boolean; next_cursor?: string };
}

const ENVIRONMENT = 'abcdefghijklmnopqrstuv';

let service: TestService;
let runs: RunDriver;
let ids: Record<string, string>;

beforeAll(async () => {
  ({ service, runs } = await startDriver(() =>
    startTestService({
      config: { environments: [{ id: ENVIRONMENT, name: 'widgets' }], models: [] },
    }),
  ));
  ids = {
    login: await runs.create({
      prompt: 'Fix the flaky login test',
      title: 'Fix login',
      metadata: { 'runlink.actor': 'mona' },
    }),
    billing: await runs.create({
      title: 'Audit billing',
      config: { name: 'auditor', model_id: 'm-1', environment_id: ENVIRONMENT },
      metadata: { ticket: 'T-1', lane: 'a' },
    }),
    search: await createBySkill(),
  };
  ids['child'] = await runs.create({ title: 'Child', parent_run_id: ids['login'] });
});
afterAll(() => service.close());

/** Straight into the tables: over HTTP a skill must first have been read from a repository. */
async function createBySkill(): Promise<string> {
  const { context } = service.service;
  const { id: teamId } = await context.db
    .selectFrom('teams')
    .select('id')
    .executeTakeFirstOrThrow();
  const person = { type: 'user', uid: 'somebody' } as const;
  return context.db.transaction().execute((trx) =>
    insertRun(context, trx, {
      teamId,
      prompt: '',
      title: 'Speed up search',
      mode: 'normal',
      source: 'API',
      config: { skill_spec: 'acme/widgets:skills/tune/SKILL.md' },
      creator: person,
      executor: person,
      metadata: { ticket: 'T-2', lane: 'a' },
      place: undefined,
    }),
  );
}

async function list(query: string, by = runs): Promise<Page> {
  const { status, body } = await by.ask<Page>('GET', `/agent/runs?${query}`);
  expect({ query, status }).toEqual({ query, status: 200 });
  return body;
}
const names = async (query: string): Promise<string[]> => {
  const { runs: found } = await list(query);
  const name = new Map(Object.entries(ids).map(([key, id]) => [id, key]));
  return found.map(({ run_id }) => name.get(run_id) ?? run_id).toSorted((a, b) => (a < b ? -1 : 1));
};

describe('GET /agent/runs (interface.md 4.2)', () => {
  it.each([
    ['state=QUEUED&state=FAILED', ['billing', 'child', 'login', 'search']],
    ['state=SUCCEEDED', []],
    ['state=CLAIMED', []],
    ['name=auditor', ['billing']],
    ['model_id=m-1', ['billing']],
    ['source=ORCHESTRATION', ['child']],
    ['source=API&source=CLI', ['billing', 'login', 'search']],
    ['execution_location=LOCAL', []],
    [`environment_id=${ENVIRONMENT}`, ['billing']],
    ['environment_id=empty-environment', ['child', 'login', 'search']],
    ['without=environment', ['child', 'login', 'search']],
    ['without=model&without=environment', ['child', 'login', 'search']],
    ['without=repository&metadata[lane]=a', ['billing', 'search']],
    ['without=agent', ['billing', 'child', 'login', 'search']],
    ['without=person', []],
    ['without=model&q=login', ['login']],
    ['skill=acme/widgets:skills/tune/SKILL.md', ['search']],
    ['skill_spec=acme/widgets:skills/tune/SKILL.md', ['search']],
    ['metadata[lane]=a', ['billing', 'search']],
    ['metadata[lane]=a&metadata[ticket]=T-2', ['search']],
    ['metadata[lane]=a&metadata[ticket]=T-3', []],
    ['artifact_type=PLAN', []],
    ['schedule_id=none', []],
    ['creator=nobody', []],
    ['created_after=2999-01-01T00:00:00Z', []],
    ['created_before=2999-01-01T00:00:00Z', ['billing', 'child', 'login', 'search']],
    ['updated_after=2999-01-01T00:00:00%2B02:00', []],
    ['source=API&name=auditor&metadata[ticket]=T-1&sort_by=title', ['billing']],
    ['q=login', ['login']],
    ['q=biling', ['billing']],
    ['q=flakey+logn', ['login']],
    ['q=skills/tune', ['search']],
    ['q=zebra', []],
    ['q=login&sort_by=title', ['login']],
    ['q=login&sort_by=relevance', ['login']],
    [`state=CANCELLED&${'state=QUEUED&'.repeat(25)}q=login`, ['login']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('takes, finds and sorts the longest title there may be, whatever it is written in', async () => {
    const letters = Array.from({ length: 1024 }, (_, n) => 0x4e00 + ((n * 7919) % 20_000));
    const id = await runs.create({ title: String.fromCharCode(...letters) });
    expect((await list('sort_by=title&limit=1')).runs[0]?.run_id).toBe(id);
    expect((await walk('sort_by=title&limit=1'))[0]).toBe(id);
    await service.service.context.db.deleteFrom('runs').where('id', '=', id).execute();
  });

  it('knows people as the statistics do: by login, or by who made it', async () => {
    expect(await names('person=@mona')).toEqual(['child', 'login']);
    expect(await names('person=somebody')).toEqual(['search']);
    const { creator } = await runs.get(ids['login'] ?? '');
    expect(await names(`creator=${creator?.uid}`)).toEqual(['billing', 'child', 'login']);
    expect(await names(`person=${creator?.uid}`)).toEqual(['billing']);
  });

  it('filters by ancestor, which must be there', async () => {
    expect(await names(`ancestor_run_id=${ids['login']}`)).toEqual(['child']);
    const { status, body } = await runs.ask<Problem>('GET', '/agent/runs?ancestor_run_id=none');
    expect([status, body.field]).toEqual([400, 'ancestor_run_id']);
  });

  it('finds a run by its id or its page', async () => {
    expect(await names(`q=${ids['login']}`)).toEqual(['login']);
    const { session_link } = await runs.get(ids['login'] ?? '');
    expect(
      await names(`q=${encodeURIComponent(session_link ?? `http://x/runs/${ids['login']}`)}`),
    ).toEqual(['login']);
  });

  it.each([
    ['sort_by=title&sort_order=asc', ['Audit billing', 'Child', 'Fix login', 'Speed up search']],
    ['sort_by=title', ['Speed up search', 'Fix login', 'Child', 'Audit billing']],
    [
      'sort_by=created_at&sort_order=asc',
      ['Fix login', 'Audit billing', 'Speed up search', 'Child'],
    ],
    ['sort_by=updated_at', ['Child', 'Speed up search', 'Audit billing', 'Fix login']],
    ['sort_by=agent&sort_order=asc&limit=1', ['Speed up search']],
    ['sort_by=agent&sort_order=desc&limit=1', ['Speed up search']],
  ])('sorts by %s', async (query, expected) => {
    expect((await list(query)).runs.map(({ title }) => title)).toEqual(expected);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=ten', 'limit'],
    ['state=BUSY', 'state.0'],
    ['sort_by=prompt', 'sort_by'],
    ['sort_order=up', 'sort_order'],
    ['created_after=yesterday', 'created_after'],
    ['created_after=0000-01-01T00:00:00Z', 'created_after'],
    ['created_before=2026-01-01T00:00:00-23:00', 'created_before'],
    [`updated_after=2026-01-01T00:00:00.${'1'.repeat(200)}Z`, 'updated_after'],
    ['environment_id=short', 'environment_id'],
    [
      'metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1&metadata[e]=1&metadata[f]=1',
      'metadata',
    ],
    ['metadata=a=1', 'metadata'],
    ['metadata[%00]=1', 'metadata.\0'],
    ['metadata[]=1', 'metadata'],
    ['metadata[a][b]=1', 'metadata'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a'],
    ['cursor=forged', 'cursor'],
    ['name=a&name=b', 'name'],
    ['state[0]=QUEUED&state[1]=FAILED', 'state'],
    ['name[eq]=a', 'name'],
  ])('refuses %s, naming the field', async (query, field) => {
    const { status, body } = await runs.ask<Problem>('GET', `/agent/runs?${query}`);
    expect([status, body.error_code, body.field]).toEqual([400, 'invalid_request', field]);
  });

  it('refuses a cursor of another sort', async () => {
    const { page_info } = await list('limit=1&sort_by=title');
    const cursor = encodeURIComponent(page_info.next_cursor ?? '');
    for (const query of ['sort_by=updated_at', 'sort_by=title&sort_order=asc']) {
      const { status } = await runs.ask('GET', `/agent/runs?limit=1&${query}&cursor=${cursor}`);
      expect(status).toBe(400);
    }
  });

  it('refuses metadata filters with 403 where the operator has switched them off', async () => {
    const strict = await startDriver(() =>
      startTestService({ config: { limits: { metadata_filter: false } } }),
    );
    const { status, body } = await strict.runs.ask<Problem>('GET', '/agent/runs?metadata[a]=b');
    expect([status, body.error_code]).toEqual([403, 'feature_not_available']);
    await strict.service.close();
  });
});

describe('the order of a search (interface.md 4.2)', () => {
  it('has the best match first only where that is asked, and else its usual order', async () => {
    const typed = await runs.create({ title: 'Fix the biling page' });
    const meant = await runs.create({ title: 'Fix the billing page' });
    const both = 'q=biling+page&limit=1';
    expect(await walk(`${both}&sort_by=relevance`)).toEqual([typed, meant]);
    expect(await walk(both)).toEqual([meant, typed]);
    expect(await walk(`${both}&sort_order=asc`)).toEqual([typed, meant]);
    expect(await names('q=biling&model_id=m-1')).toEqual(['billing']);
    await service.service.context.db.deleteFrom('runs').where('id', 'in', [typed, meant]).execute();
  });

  it.each([
    ['sort_by=relevance', 'sort_by'],
    ['sort_by=relevance&q=+', 'sort_by'],
    ['sort_by=relevance&q=a&sort_order=asc', 'sort_order'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await runs.ask<Problem>('GET', `/agent/runs?${query}`);
    expect([status, body.field]).toEqual([400, field]);
  });

  it('refuses a cursor of the one order of a search with the other', async () => {
    for (const [one, other] of [
      ['q=i', 'q=i&sort_by=relevance'],
      ['q=i&sort_by=relevance', 'q=i'],
      ['q=i&sort_order=asc', 'q=i'],
    ]) {
      const cursor = (await list(`${one}&limit=1`)).page_info.next_cursor;
      const { status, body } = await runs.ask<Problem>(
        'GET',
        `/agent/runs?${other}&limit=1&cursor=${cursor}`,
      );
      expect([status, body.field]).toEqual([400, 'cursor']);
    }
  });
});

async function walk(query: string, between: () => Promise<void> = async () => {}, by = runs) {
  const seen: string[] = [];
  for (let cursor: string | undefined, page = 0; page < 100; page += 1) {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const found = await list(query + next, by);
    seen.push(...found.runs.map(({ run_id }) => run_id));
    cursor = found.page_info.next_cursor;
    if (!cursor) return seen;
    await between();
  }
  throw new Error('no end');
}

describe('paging', () => {
  it('shows every run once in every sort, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('updated_at', 'created_at', 'title', 'agent'),
        fc.constantFrom('asc', 'desc'),
        fc.integer({ min: 1, max: 5 }),
        async (sort, order, limit) => {
          const seen = await walk(`sort_by=${sort}&sort_order=${order}&limit=${limit}`);
          expect(seen.length).toBe(new Set(seen).size);
          expect(new Set(seen)).toEqual(new Set(Object.values(ids)));
        },
      ),
      { numRuns: 12, seed: 7 },
    );
  });

  /** What these tests change belongs to a team of their own. */
  async function newTeam(): Promise<{ team: RunDriver; made: string[] }> {
    const team = await driveNewTeam(service);
    const made: string[] = [];
    for (const title of ['one', 'two', 'three', 'four']) made.push(await team.create({ title }));
    return { team, made };
  }
  const tell = (team: RunDriver, id: string) =>
    team.ask('POST', `/agent/runs/${id}/followups`, { message: 'more' });

  it('by an immutable key skips and repeats nothing while runs are made and changed', async () => {
    const { team, made } = await newTeam();
    const change = async (): Promise<void> => {
      await team.create();
      await tell(team, made[0] ?? '');
    };
    expect(await walk('sort_by=created_at&limit=1', change, team)).toEqual(made.toReversed());
  });

  it('by updated_at, descending, leaves a run that changes before it was read to the next first page', async () => {
    const { team, made } = await newTeam();
    const [changed = '', ...others] = made;
    let once = false;
    const change = async (): Promise<void> => {
      if (!once) await tell(team, changed);
      once = true;
    };
    expect(await walk('sort_by=updated_at&limit=2', change, team)).toEqual(others.toReversed());
    expect((await list('sort_by=updated_at&limit=1', team)).runs[0]?.run_id).toBe(changed);
  });

  it('by updated_at, ascending, shows a run again when it changes behind the reader, and skips none', async () => {
    const { team, made } = await newTeam();
    const [, changed = ''] = made;
    let once = false;
    const change = async (): Promise<void> => {
      if (!once) await tell(team, changed);
      once = true;
    };
    const seen = await walk('sort_by=updated_at&sort_order=asc&limit=2', change, team);
    expect(new Set(seen)).toEqual(new Set(made));
    expect(seen.at(-1)).toBe(changed);
  });
});

describe('a database without pg_trgm', () => {
  it('is searched for words as they are written, those in titles first', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('drop extension pg_trgm cascade');
    await client.end();
    const plain = await startDriver(() => startTestService({ databaseUrl: database.url }));
    const titled = await plain.runs.create({ title: 'Fix Login', prompt: 'now' });
    const prompted = await plain.runs.create({ title: 'Fix', prompt: 'the 100% login of fixes' });
    const find = async (q: string): Promise<string[]> => {
      const query = `q=${encodeURIComponent(q)}&sort_by=relevance`;
      const { body } = await plain.runs.ask<Page>('GET', `/agent/runs?${query}`);
      return body.runs.map(({ run_id }) => run_id);
    };
    expect(await find('login fix')).toEqual([titled, prompted]);
    expect(await find('100%')).toEqual([prompted]);
    expect(await find('logn')).toEqual([]);
    await plain.service.close();
    await database.drop();
  });
});
