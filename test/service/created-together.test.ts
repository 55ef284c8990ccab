import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchTextOf } from '../../src/service/runs/create/search-text.ts';
import { rowOf } from '../../src/service/runs/create/new-run.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.personalKey();
});
afterAll(() => service.close());

async function create(body: object): Promise<{ run_id: string }> {
  const answer = await service.request('POST', '/agent/runs', { key, body });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { run_id: string };
}

/** What was stored of a run in the four places. */
async function partsOf(runId: string) {
  const { db } = service.service.context;
  const run = await db
    .selectFrom('runs')
    .where('id', '=', runId)
    .select(['prompt', 'title', 'config', 'metadata', 'execution_location', 'job_id'])
    .executeTakeFirst();
  const text = await db
    .selectFrom('run_texts')
    .where('run_id', '=', runId)
    .select('body')
    .executeTakeFirst();
  const events = await db
    .selectFrom('run_events')
    .where('run_id', '=', runId)
    .select(['position', 'type'])
    .execute();
  const { rows: jobs } = await service.service.context.database.pool.query<{ id: string }>(
    `select id from runlink_jobs.job where name = 'runs' and data->>'runId' = $1`,
    [runId],
  );
  return { run, text: text?.body, events, jobs: jobs.map(({ id }) => id) };
}

describe('runs that are created at the same time, in one transaction', () => {
  it('have each their own prompt, metadata, text, event and job', async () => {
    const prompts = Array.from({ length: 120 }, (_, index) => `“task” ${index}: 'a' \\ $1 ü 🚀`);
    const created = await Promise.all(
      prompts.map((prompt, index) =>
        create({ prompt, title: `No. ${index}`, metadata: { index: String(index) } }),
      ),
    );
    expect(new Set(created.map(({ run_id }) => run_id)).size).toBe(prompts.length);
    for (const [index, prompt] of prompts.entries()) {
      const { run, text, events, jobs } = await partsOf(created[index]?.run_id ?? '');
      const title = `No. ${index}`;
      expect(run).toMatchObject({ prompt, title, metadata: { index: String(index) } });
      expect(text).toBe(searchTextOf({ title, prompt, skillSpec: null }));
      expect(events).toEqual([{ position: 1, type: 'lifecycle' }]);
      expect(jobs).toEqual([run?.job_id]);
    }
  });

  it('stand and fall each alone: one that cannot be stored takes no other with it', async () => {
    const { context } = service.service;
    const { id: teamId } = await context.db
      .selectFrom('teams')
      .select('id')
      .executeTakeFirstOrThrow();
    const person = { type: 'user', uid: 'somebody' } as const;
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const rows = ids.map((id, index) => ({
      ...rowOf(id, {
        // No such team: the database refuses the row.
        teamId: index === 7 ? randomUUID() : teamId,
        prompt: 'p',
        title: 't',
        mode: 'normal',
        source: 'API',
        config: {},
        creator: person,
        executor: person,
        metadata: {},
        place: undefined,
      }),
      body: 'p',
      track: null,
    }));
    const settled = await Promise.allSettled(rows.map((row) => context.insertRun(row)));
    expect(settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([
      7,
    ]);
    const stored = await context.db
      .selectFrom('runs')
      .where('id', 'in', ids)
      .select('id')
      .execute();
    expect(stored.map(({ id }) => id).toSorted()).toEqual(
      ids.filter((_, index) => index !== 7).toSorted(),
    );
  });
});
