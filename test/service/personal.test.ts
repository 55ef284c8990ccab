import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillPath } from '../../src/contract/endpoint.ts';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { RunItem } from '../../src/contract/run.ts';
import { createAgentKey } from '../../src/service/keys/manage-keys.ts';
import { driveRuns, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { VALID_BODIES, VALID_QUERIES } from '../support/valid-bodies.ts';

const URL_OF_IT = 'https://tracker.example/T-1';
const ABOUT = { name: 'mine', worker_host: 'box' };
let service: TestService;
/** Whose run it is, and somebody else of the same team. */
let owner: RunDriver;
let other: RunDriver;
let otherKey = '';
let workerKey = '';
let ids: Record<string, string> = {};

beforeAll(async () => {
  const started = await startDriver(() => startTestService({ graceMs: 3_600_000 }));
  service = started.service;
  workerKey = await service.workerKey('default');
  owner = driveRuns(service, started.key, workerKey);
  // Who may do all there is to do in the team finds nothing of it either.
  otherKey = await service.personalKey('default', 'ada', 'owner');
  other = driveRuns(service, otherKey, workerKey);
  const runId = await owner.create({
    prompt: 'a peculiar wish',
    title: 'peculiar',
    team: false,
    config: ABOUT,
    metadata: { secret: 'yes' },
  });
  // The team's own worker takes it, as any run of the team.
  const lease = await owner.claim({ host: 'box' });
  if (lease?.run_id !== runId) throw new Error('the worker did not get it');
  await owner.report(lease, 'acknowledge');
  await owner.report(lease, 'events', {
    events: [
      { seq: 1, at: new Date().toISOString(), type: 'notice', level: 'info', text: 'hm' },
      { seq: 2, at: new Date().toISOString(), type: 'plan', entries: [] },
    ],
  });
  const artifactUid = await owner.upload(lease, 'page.html');
  const reference = { reference_type: 'ticket', url: URL_OF_IT };
  const reported = await service.request('POST', '/harness-support/report-artifact', {
    key: lease.run_key,
    body: { artifact_type: 'EXTERNAL_REFERENCE', data: reference },
  });
  if (reported.status !== 200) throw new Error('the reference was not taken');
  const { conversation_id } = await owner.get(runId);
  ids = { runId, sessionId: runId, conversationId: conversation_id ?? '', artifactUid };
});
afterAll(() => service.close());

const ofRuns = listEndpoints().filter(
  ({ endpoint: { path, callers } }) =>
    (callers as readonly string[]).includes('personal') &&
    /\{(?:runId|sessionId|conversationId|artifactUid)\}/.test(path),
);

const listed = async (as: RunDriver, query: string): Promise<string[]> => {
  const { body } = await as.ask<{ runs: RunItem[] }>('GET', `/agent/runs?${query}`);
  return body.runs.map(({ run_id }) => run_id);
};

describe('a personal run (interface.md 5.5, threats.md S2)', () => {
  it('is its person’s, who finds it everywhere', async () => {
    const run = await owner.get(ids['runId'] ?? '');
    const { body: me } = await owner.ask<{ profile: { uid: string } }>('GET', '/agent/whoami');
    expect(run).toMatchObject({
      state: 'INPROGRESS',
      scope: { type: 'User', uid: me.profile.uid },
      artifacts: expect.arrayContaining([
        expect.objectContaining({ artifact_type: 'EXTERNAL_REFERENCE' }),
      ]),
    });
    for (const { id, endpoint } of ofRuns.filter((it) => it.endpoint.method === 'GET')) {
      const query = VALID_QUERIES[id] ?? '';
      const answer = await owner.ask('GET', fillPath(endpoint.path, ids) + query);
      expect([id, answer.status < 400]).toEqual([id, true]);
    }
    const found = await owner.ask('GET', `/agent/run-by-external-reference?url=${URL_OF_IT}`);
    expect(found.body).toEqual({ run_id: ids['runId'] });
  });

  it.each(ofRuns.map((it) => [it.id, it.endpoint] as const))(
    'does not exist for anybody else: %s',
    async (id, { method, path }) => {
      const unknown = { ...ids };
      for (const name of Object.keys(ids)) unknown[name] = randomUUID();
      const send = async (params: Record<string, string>) => {
        const target = fillPath(path, params) + (method === 'GET' ? (VALID_QUERIES[id] ?? '') : '');
        const { status, body } = await other.ask<Problem>(method, target, VALID_BODIES[id]);
        return { ...body, status, instance: undefined };
      };
      const answer = await send(ids);
      expect(answer.status).toBe(404);
      expect(answer).toEqual(await send(unknown));
    },
  );

  const QUERIES = [
    '',
    'sort_by=created_at',
    'sort_by=title&sort_order=asc',
    'sort_by=agent',
    'name=mine',
    'state=INPROGRESS',
    'q=peculiar',
    'q=peculiar&sort_by=relevance',
    'metadata[secret]=yes',
    'artifact_type=EXTERNAL_REFERENCE',
    'task_status=running',
  ];
  it.each(QUERIES)('is in lists of its person alone: %s', async (query) => {
    expect(await listed(owner, query)).toContain(ids['runId']);
    expect(await listed(other, query)).not.toContain(ids['runId']);
  });

  it('is not in anybody’s list by its id, nor as an ancestor', async () => {
    expect(await listed(owner, `q=${ids['runId']}`)).toEqual([ids['runId']]);
    expect(await listed(other, `q=${ids['runId']}`)).toEqual([]);
    const below = `/agent/runs?ancestor_run_id=${ids['runId']}`;
    expect((await owner.ask('GET', below)).status).toBe(200);
    expect((await other.ask('GET', below)).status).toBe(400);
    const look = await other.ask('GET', `/agent/run-by-external-reference?url=${URL_OF_IT}`);
    expect(look.status).toBe(404);
  });

  it('is not among what a worker is seen to work on', async () => {
    const working = async (as: RunDriver) =>
      JSON.stringify((await as.ask('GET', '/agent/workers')).body);
    expect(await working(owner)).toContain(ids['runId']);
    expect(await working(other)).not.toContain(ids['runId']);
  });

  it('is for no agent’s key', async () => {
    const { body } = await owner.ask<{ uid: string }>('POST', '/agent/identities', { name: 'a' });
    const key = (await createAgentKey(service.service.context, body.uid)).key;
    const answer = await service.request('GET', `/agent/runs/${ids['runId']}`, { key });
    expect(answer.status).toBe(404);
    const made = await service.request('POST', '/agent/runs', {
      key,
      body: { prompt: 'p', team: false },
    });
    expect(made.status).toBe(422);
    const as = await owner.ask('POST', '/agent/runs', {
      prompt: 'p',
      team: false,
      agent_identity_uid: body.uid,
    });
    expect(as.status).toBe(400);
  });

  it('keeps what belongs to it as personal as it is', async () => {
    const { runId: parent_run_id, conversationId: conversation_id } = ids;
    const child = await owner.create({ parent_run_id });
    expect((await owner.get(child)).scope?.type).toBe('User');
    expect((await other.ask('GET', `/agent/runs/${child}`)).status).toBe(404);
    const more = await owner.create({ conversation_id });
    expect((await other.ask('GET', `/agent/runs/${more}`)).status).toBe(404);
    for (const field of [{ parent_run_id }, { conversation_id }]) {
      const asked = { prompt: 'p', team: true, ...field };
      expect((await owner.ask('POST', '/agent/runs', asked)).status).toBe(400);
      expect((await other.ask('POST', '/agent/runs', { prompt: 'p', ...field })).status).toBe(
        'parent_run_id' in field ? 400 : 404,
      );
    }
    const shared = await owner.create();
    const mixed = { prompt: 'p', parent_run_id: shared, conversation_id };
    expect((await owner.ask('POST', '/agent/runs', mixed)).status).toBe(400);
    expect(
      (await owner.ask('POST', '/agent/runs', { prompt: 'p', parent_run_id: shared, team: false }))
        .status,
    ).toBe(400);
  });

  it('is made once where two are made at once', async () => {
    const fresh = driveRuns(service, await service.personalKey('default', 'eve'), workerKey);
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, at) => fresh.create({ team: false, title: `${at}` })),
    );
    expect((await listed(fresh, '')).filter((id) => many.includes(id))).toHaveLength(8);
    expect((await listed(owner, 'limit=100')).filter((id) => many.includes(id))).toEqual([]);
  });
});

it('lists of a person’s and the team’s runs page in one order', async () => {
  const both = driveRuns(service, await service.personalKey('pages', 'bo'), workerKey);
  const made: string[] = [];
  for (const [at, title] of ['b', 'É', 'a', 'Z', 'c', 'e', 'B', 'z'].entries())
    made.push(await both.create({ title, team: at % 3 > 0, config: at % 2 ? { name: 'x' } : {} }));
  for (const query of [
    'sort_by=updated_at',
    'sort_by=created_at&sort_order=asc',
    'sort_by=title&sort_order=asc',
    'sort_by=title',
    'sort_by=agent',
    `sort_by=updated_at&created_before=${new Date(Date.now() + 1000).toISOString()}`,
  ]) {
    const whole = await listed(both, `${query}&limit=100`);
    expect(whole.toSorted()).toEqual(made.toSorted());
    const paged: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await both.ask<{
        runs: RunItem[];
        page_info: { next_cursor?: string };
      }>('GET', `/agent/runs?${query}&limit=3${from}`);
      paged.push(...body.runs.map(({ run_id }) => run_id));
      cursor = body.page_info.next_cursor;
    }
    expect([query, paged]).toEqual([query, whole]);
  }
  const times = await listed(both, 'sort_by=created_at&sort_order=asc&limit=100');
  expect(times).toEqual(made);
});
