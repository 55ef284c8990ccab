import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listWorkersResponse } from '../../src/contract/connected-worker.ts';
import { listEnvironmentsResponse, type Environment } from '../../src/contract/environment.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const OWNED = 'Owned00000000000000000';
const GUEST = 'Guest00000000000000000';
const LINK = 'Link000000000000000000';
const FOREIGN = 'Foreign000000000000000';
const environments = [
  { id: OWNED, name: 'b-owned', repositories: [{ owner: 'acme', repo: 'web' }] },
  { id: GUEST, name: 'a-guest', team: 'others', guests: ['default'] },
  { id: LINK, name: 'c-link', team: 'others', link_sharing: true },
  { id: FOREIGN, name: 'd-foreign', team: 'others' },
];
let service: TestService;
let runs: RunDriver;
let key = '';

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(() =>
    startTestService({
      config: {
        environments,
        models: [
          {
            id: 'big',
            display_name: 'Big',
            provider: 'ANTHROPIC',
            vision: true,
            cost: { input_usd: 3, output_usd: 15 },
            default: true,
          },
          { id: 'old', disabled: 'ADMIN_DISABLED' },
        ],
      },
    }),
  ));
});
afterAll(() => service.close());

async function list(query = '', as = key): Promise<Environment[]> {
  const answer = await service.request('GET', `/agent/environments${query}`, { key: as });
  return listEnvironmentsResponse.parse(await answer.json()).environments;
}

const names = (items: Environment[]): (string | undefined)[] =>
  items.map(({ config }) => config.name);

describe('GET /agent/environments (interface.md 4.1)', () => {
  it('lists what a team owns, is a guest of, or reaches by link', async () => {
    expect(names(await list('?sort_by=name'))).toEqual(['a-guest', 'b-owned', 'c-link']);
    const others = await service.personalKey('others', 'other');
    expect(names(await list('?sort_by=name', others))).toEqual(['a-guest', 'c-link', 'd-foreign']);
    const third = await service.personalKey('third', 'third');
    expect(names(await list('', third))).toEqual(['c-link']);
  });

  it('says what it works on and how the last run in it went', async () => {
    const id = await runs.create({ config: { environment_id: OWNED } });
    const lease = await runs.claim({ environment: OWNED });
    if (lease) await runs.report(lease, 'acknowledge');
    const owned = (await list()).find(({ uid }) => uid === OWNED);
    expect(owned).toMatchObject({
      config: { github_repos: [{ owner: 'acme', repo: 'web' }] },
      setup_failed: false,
      last_task_created: { id, state: 'INPROGRESS' },
    });
  });

  it('puts the one that was changed last first', async () => {
    const changed = environments.map((environment) =>
      environment.id === LINK ? { ...environment, description: 'new' } : environment,
    );
    const second = await startTestService({
      databaseUrl: service.databaseUrl,
      config: { environments: changed },
    });
    await second.close();
    expect(names(await list())[0]).toBe('c-link');
  });

  it('refuses an unknown order', async () => {
    const answer = await service.request('GET', '/agent/environments?sort_by=size', { key });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ field: 'sort_by' });
  });

  it('has only visible ones run', async () => {
    const run = (id: string) =>
      service.request('POST', '/agent/runs', {
        key,
        body: { prompt: 'p', config: { environment_id: id } },
      });
    expect((await run(GUEST)).status).toBe(200);
    expect((await run(LINK)).status).toBe(200);
    expect((await run(FOREIGN)).status).toBe(404);
  });
});

describe('GET /agent/models (interface.md 4.1)', () => {
  it('gives provider, cost, disabled with its reason, and the default', async () => {
    const answer = await service.request('GET', '/agent/models', { key });
    expect(await answer.json()).toEqual({
      default_model_id: 'big',
      models: [
        {
          id: 'big',
          display_name: 'Big',
          provider: 'ANTHROPIC',
          vision_supported: true,
          disabled: false,
          cost: { input_usd: 3, output_usd: 15 },
        },
        {
          id: 'old',
          display_name: 'old',
          provider: 'UNKNOWN',
          vision_supported: false,
          disabled: true,
          disable_reason: 'ADMIN_DISABLED',
        },
      ],
    });
  });

  it.each([
    ['old', /ADMIN_DISABLED/],
    ['unknown', /no model/],
  ])('has the model %j refused at creation with the reason', async (model, reason) => {
    const answer = await service.request('POST', '/agent/runs', {
      key,
      body: { prompt: 'p', config: { model_id: model } },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      field: 'config.model_id',
      detail: expect.stringMatching(reason),
    });
  });
});

describe('a run that names a stored MCP server', () => {
  it('is refused at creation, as none are stored', async () => {
    const config = { mcp_servers: { files: { warp_id: 'abc' } } };
    const answer = await service.request('POST', '/agent/runs', {
      key,
      body: { prompt: 'p', config },
    });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ field: 'config.mcp_servers.files.warp_id' });
  });
});

describe('a run that names no model', () => {
  const modelOf = async (config: Record<string, unknown>) =>
    (await runs.get(await runs.create({ config }))).agent_config?.model_id;

  it('gets the operator’s default, unless it names a harness', async () => {
    expect(await modelOf({})).toBe('big');
    expect(await modelOf({ harness: { type: 'oz' } })).toBe('big');
    expect(await modelOf({ harness: { type: 'codex' } })).toBeUndefined();
  });
});

describe('GET /agent/connected-self-hosted-workers (interface.md 4.1)', () => {
  async function workers(as = key) {
    const path = '/agent/connected-self-hosted-workers';
    const answer = await service.request('GET', path, { key: as });
    return listWorkersResponse.parse(await answer.json()).workers;
  }

  it('gives one entry a host of the team, newest heartbeat first, and none that went silent', async () => {
    const teamWorker = await service.workerKey('default');
    const hosts = async (as?: string) =>
      (await workers(as)).filter(({ worker_host }) => worker_host !== 'warp');
    expect(await hosts()).toEqual([]);
    for (const [workerId, host] of [
      ['one', 'box-a'],
      ['two', 'box-a'],
      ['three', 'box-b'],
    ] as const)
      await runs.claim({ workerId, host, key: teamWorker });
    await vi.waitFor(
      async () =>
        expect(await hosts()).toMatchObject([
          { worker_host: 'box-b', connection_count: 1 },
          { worker_host: 'box-a', connection_count: 2 },
        ]),
      30_000,
    );
    const others = await service.personalKey('others', 'other');
    expect(await hosts(others)).toEqual([]);
    await service.service.context.db
      .updateTable('workers')
      .set({ last_seen_at: new Date(Date.now() - 120_000) })
      .where('worker_host', '=', 'box-b')
      .execute();
    expect((await hosts()).map((worker) => worker.worker_host)).toEqual(['box-a']);
  });

  it('has those without a host together, the built-in one for every team', async () => {
    const [team, others] = ['pool', 'no-pool'];
    await runs.claim({ workerId: 'built-in' });
    await runs.claim({ workerId: 'general', key: await service.workerKey(team) });
    const hostsOf = async (name: string) => workers(await service.personalKey(name, name));
    const [pool] = await hostsOf(team);
    const [shared] = await hostsOf(others);
    expect([pool?.worker_host, shared?.worker_host]).toEqual(['warp', 'warp']);
    expect(pool?.connection_count).toBe((shared?.connection_count ?? 0) + 1);
  });
});
