import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { driveRuns, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const AT_ONCE = 50;
const WEB = { id: 'webwebwebwebwebwebwebw', name: 'web' };
const API = { id: 'apiapiapiapiapiapiapia', name: 'api' };

let service: TestService;
let pool: string;
let turn = 0;

beforeAll(async () => {
  service = await startTestService({
    config: {
      default_harness: 'demo',
      environments: [
        { ...WEB, link_sharing: true },
        { ...API, link_sharing: true },
        { id: 'secretsecretsecretsecr', name: 'secret', team: 'nobody' },
      ],
    },
  });
  pool = await service.workerKey();
});
afterAll(() => service.close());

/** A team of its own, with a worker key of its own. */
async function newTeam(): Promise<RunDriver> {
  turn += 1;
  const key = await service.personalKey(`team${turn}`, `owner${turn}`);
  return driveRuns(service, key, await service.workerKey(`team${turn}`));
}

const naming = (type: string) => ({ config: { harness: { type } } });

async function fill(
  runs: RunDriver,
  count: number,
  body: Record<string, unknown> = {},
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Math.min(AT_ONCE, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: some }, () => runs.create(body)))));
  }
  return ids;
}

describe('a worker is given what it can carry out (run-lifecycle.md, "Workers")', () => {
  it('of the agents that it offers alone, whatever waits before that', async () => {
    const runs = await newTeam();
    await fill(runs, 3, naming('codex'));
    const claude = await runs.create(naming('claude'));
    expect(await runs.claim({ harnesses: ['gemini'] })).toBeNull();
    expect((await runs.claim({ harnesses: ['claude'] }))?.run_id).toBe(claude);
    expect(await runs.claim({ harnesses: ['claude'] })).toBeNull();
  });

  it('and of several agents the run that waited longest', async () => {
    const runs = await newTeam();
    const ids = [];
    for (const type of ['codex', 'claude', 'oz', 'codex', 'claude'])
      ids.push(await runs.create(naming(type)));
    const taken = [];
    for (const _ of ids)
      taken.push((await runs.claim({ harnesses: ['claude', 'demo', 'codex'] }))?.run_id);
    expect(taken).toEqual(ids);
  });

  it('likewise of a run that names no agent: whoever has the operator’s default one', async () => {
    const runs = await newTeam();
    const id = await runs.create();
    expect(await runs.claim({ harnesses: ['codex'] })).toBeNull();
    expect((await runs.claim({ harnesses: ['codex', 'demo'] }))?.run_id).toBe(id);
  });

  it('which a worker without any fails where nobody has it, and else leaves to others', async () => {
    const runs = await newTeam();
    const { db } = service.service.context;
    await runs.create();
    await db.updateTable('workers').set({ harnesses: '["demo"]' }).execute();
    expect(await runs.claim({ workerId: 'bare', harnesses: [] })).toBeNull();
    await db.deleteFrom('workers').execute();
    service.service.context.notedWorkers.clear();
    expect(await runs.claim({ workerId: 'bare', harnesses: [] })).not.toBeNull();
  });

  it('on a host of its own too', async () => {
    const runs = await newTeam();
    const config = { worker_host: 'gpu-box', harness: { type: 'codex' } };
    const id = await runs.create({ config });
    expect(await runs.claim({ host: 'gpu-box', harnesses: ['claude'] })).toBeNull();
    expect(await runs.claim({ harnesses: ['codex'] })).toBeNull();
    expect((await runs.claim({ host: 'gpu-box', harnesses: ['codex'] }))?.run_id).toBe(id);
  });

  it('not as a host of the pool’s name, which no run is sent to', async () => {
    const key = await service.workerKey();
    const body = { worker_id: 'w', worker_host: 'warp', capacity: 1, harnesses: [] };
    const answer = await service.request('POST', '/worker/claim', { key, body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { field: 'worker_host' }]);
  });

  it('again after a follow-up, and after it was given back', async () => {
    const runs = await newTeam();
    const id = await runs.create(naming('codex'));
    const first = await runs.claim({ harnesses: ['codex'] });
    if (first) await runs.report(first, 'release', { reason: 'no room' });
    expect(await runs.claim({ harnesses: ['claude', 'demo'] })).toBeNull();
    const second = await runs.claim({ harnesses: ['codex'] });
    if (second) await runs.report(second, 'acknowledge');
    if (second) await runs.complete(second, 'SUCCEEDED');
    await runs.ask('POST', `/agent/runs/${id}/followups`, { message: 'more' });
    expect(await runs.claim({ harnesses: ['claude', 'demo'] })).toBeNull();
    expect((await runs.claim({ harnesses: ['codex'] }))?.run_id).toBe(id);
  });

  it('each run once, when workers of different offers ask at once', async () => {
    const runs = await newTeam();
    const ids = [
      ...(await fill(runs, 4, naming('codex'))),
      ...(await fill(runs, 4, naming('claude'))),
      ...(await fill(runs, 4)),
    ];
    const offers = [['codex'], ['claude', 'demo'], ['codex', 'claude', 'demo']];
    const taken: string[] = [];
    while (taken.length < ids.length) {
      const leases = await Promise.all(
        Array.from({ length: 9 }, (_, index) =>
          runs.claim({ workerId: `w${index}`, harnesses: offers[index % 3] ?? [] }),
        ),
      );
      for (const lease of leases) if (lease) taken.push(lease.run_id);
    }
    expect(taken.toSorted()).toEqual(ids.toSorted());
  });
});

describe('the pool lets teams take turns', () => {
  const many = LONG ? 10_000 : 20;
  // What earlier tests claimed and never began goes back to the pool meanwhile.
  beforeEach(async () => {
    const { db } = service.service.context;
    await db.updateTable('runs').set({ state: 'CANCELLED' }).execute();
  });

  it(`with ${many} runs of one team that wait before another’s`, async () => {
    const [large, small] = [await newTeam(), await newTeam()];
    await fill(large, many);
    const mine = await fill(small, 3);
    const taken = [];
    for (const _ of [...mine, ...mine])
      taken.push((await small.claim({ key: pool }))?.run_id ?? '');
    expect(taken).toEqual(expect.arrayContaining(mine));
  }, 120_000);

  it('whatever agents a team names: more of them are no more turns', async () => {
    const [large, small] = [await newTeam(), await newTeam()];
    for (const type of ['opencode', 'gemini', 'acp']) await fill(large, 4, naming(type));
    const mine = await fill(small, 3, naming('gemini'));
    const harnesses = ['opencode', 'gemini', 'acp'];
    const taken = [];
    for (const _ of [...mine, ...mine])
      taken.push((await small.claim({ key: pool, harnesses }))?.run_id ?? '');
    expect(taken).toEqual(expect.arrayContaining(mine));
  });

  it('also past teams whose runs name what it does not offer', async () => {
    const teams = [await newTeam(), await newTeam(), await newTeam()];
    for (const runs of teams) await fill(runs, 2, naming('pi'));
    const last = await newTeam();
    const id = await last.create(naming('exec'));
    expect((await last.claim({ key: pool, harnesses: ['exec'] }))?.run_id).toBe(id);
    expect(await last.claim({ key: pool, harnesses: ['exec'] })).toBeNull();
  });
});

describe('a worker of one environment', () => {
  const inside = ({ id }: { id: string }, type?: string) => ({
    config: { environment_id: id, ...(type && { harness: { type } }) },
  });

  it('is given only runs of it, the one that waits longest first', async () => {
    const runs = await newTeam();
    await runs.create();
    await runs.create(inside(API));
    const [first, second] = [await runs.create(inside(WEB)), await runs.create(inside(WEB))];
    expect((await runs.claim({ environment: 'web' }))?.run_id).toBe(first);
    expect((await runs.claim({ environment: WEB.id }))?.run_id).toBe(second);
    expect(await runs.claim({ environment: 'web' })).toBeNull();
  });

  it('of those only what it can carry out, and of its own lane', async () => {
    const runs = await newTeam();
    await runs.create(inside(WEB, 'codex'));
    await runs.create({ config: { ...inside(WEB).config, worker_host: 'gpu-box' } });
    expect(await runs.claim({ environment: 'web', harnesses: ['claude', 'demo'] })).toBeNull();
    expect(await runs.claim({ environment: 'web', harnesses: ['codex'] })).not.toBeNull();
    const own = { environment: 'web', host: 'gpu-box' };
    expect(await runs.claim(own)).not.toBeNull();
  });

  it('takes them from every team where it belongs to the service’s own pool, each once', async () => {
    const last = await newTeam();
    const teams = [await newTeam(), last];
    const ids = [];
    for (const runs of teams)
      ids.push(await runs.create(inside(API)), await runs.create(inside(API)));
    // Another test may have left one.
    const leases = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        last.claim({ key: pool, environment: 'api', workerId: `w${index}` }),
      ),
    );
    const taken = leases.flatMap((lease) => (lease ? [lease.run_id] : []));
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken).toEqual(expect.arrayContaining(ids));
  });

  it('is refused where there is none of this name that its team may see', async () => {
    const runs = await newTeam();
    const key = await service.workerKey(`team${turn}`);
    const body = { worker_id: 'w', capacity: 1, harnesses: [], environment: 'secret' };
    const answers = await Promise.all(
      ['secret', 'unknown'].map(async (environment) => {
        const options = { key, body: { ...body, environment } };
        const answer = await service.request('POST', '/worker/claim', options);
        return { status: answer.status, text: (await answer.text()).replaceAll(environment, 'X') };
      }),
    );
    expect(answers[0]?.status).toBe(404);
    const withoutTrace = answers.map(({ text }) => text.replaceAll(/"trace_id":"[^"]*"/g, ''));
    expect(withoutTrace[0]).toBe(withoutTrace[1]);
    expect(await runs.claim()).toBeNull();
  });
});
