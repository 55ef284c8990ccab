import { randomUUID } from 'node:crypto';
import type { RunItem } from '../../src/contract/run.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identity as identitySchema, type Identity } from '../../src/contract/identity.ts';
import { DEFAULT_OPERATOR_CONFIG } from '../../src/config/operator-config.ts';
import { createAgentKey } from '../../src/service/keys/manage-keys.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ENVIRONMENT = 'Abcdefghij0123456789xy';
let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(() =>
    startTestService({
      config: {
        environments: [{ id: ENVIRONMENT, name: 'web', link_sharing: true }],
        models: [{ id: 'm' }, { id: 'old', disabled: 'ADMIN_DISABLED' }],
        limits: { agents_per_team: 3 },
      },
    }),
  ));
});
afterAll(() => service.close());

/** A team of its own, so that its plan limit is untouched. */
async function newTeam(): Promise<string> {
  const name = randomUUID();
  return service.personalKey(name, name);
}

async function create(key: string, fields: Record<string, unknown> = {}): Promise<Identity> {
  const body = { name: 'helper', ...fields };
  const answer = await service.request('POST', '/agent/identities', { key, body });
  expect(answer.status).toBe(201);
  return identitySchema.parse(await answer.json());
}

async function agentKey(uid: string): Promise<string> {
  return (await createAgentKey(service.service.context, uid)).key;
}

describe('agent identities (interface.md 4.5)', () => {
  it('are created, listed, read, changed', async () => {
    const key = await newTeam();
    const made = await create(key, { description: 'Helps', environment_id: ENVIRONMENT });
    expect(made).toMatchObject({ name: 'helper', available: true, description: 'Helps' });
    const listed = await service.request('GET', '/agent/identities', { key });
    expect(await listed.json()).toEqual({ agents: [made] });
    const read = await service.request('GET', `/agent/identities/${made.uid}`, { key });
    expect(await read.json()).toEqual(made);
    const changed = await service.request('PUT', `/agent/identities/${made.uid}`, {
      key,
      body: { name: 'second', description: '', prompt: 'Be kind', environment_id: null },
    });
    expect(await changed.json()).toMatchObject({
      name: 'second',
      description: null,
      prompt: 'Be kind',
      environment_id: ENVIRONMENT,
    });
  });

  it('keep of their memory what an update leaves out', async () => {
    const key = await newTeam();
    const made = await create(key, { memory: { auto_memory: { enabled: false } } });
    const changed = await service.request('PUT', `/agent/identities/${made.uid}`, {
      key,
      body: { memory: { attached_stores: [] } },
    });
    expect(await changed.json()).toMatchObject({ memory: { auto_memory: { enabled: false } } });
  });

  it.each([
    ['an empty name', { name: '' }, 400, 'name'],
    ['a blank name', { name: ' \n' }, 400, 'name'],
    ['a skill that is none', { skills: ['nonsense'] }, 400, 'skills'],
    [
      'a harness said in two ways',
      { base_harness: 'claude', harness: { type: 'codex' } },
      400,
      'base_harness',
    ],
    [
      'a model beside a harness of its own',
      { base_model: 'm', harness: { type: 'codex' } },
      400,
      'base_model',
    ],
    ['an unknown harness', { harness: { type: 'none' } }, 400, 'harness.type'],
    ['a model that is switched off', { base_model: 'old' }, 400, 'base_model'],
    ['an unknown environment', { environment_id: '0123456789012345678901' }, 404, 'environment_id'],
  ])('refuse %s', async (_, fields, status, field) => {
    const key = await newTeam();
    const body = { name: 'helper', ...fields };
    const answer = await service.request('POST', '/agent/identities', { key, body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ field });
  });

  it('beyond the plan limit are not available, get no keys and are used for no runs (interface.md 8)', async () => {
    const key = await newTeam();
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await create(key, { name }));
    expect(made.map(({ available }) => available)).toEqual([true, true, true, false]);
    const [first, , , last] = made;
    const run = (uid: string | undefined) =>
      service.request('POST', '/agent/runs', {
        key,
        body: { prompt: 'p', agent_identity_uid: uid },
      });
    expect((await run(last?.uid)).status).toBe(403);
    await expect(agentKey(last?.uid ?? '')).rejects.toThrow('beyond the plan limit');
    const { db } = service.service.context;
    const generous = { db, config: DEFAULT_OPERATOR_CONFIG };
    const { key: lastKey } = await createAgentKey(generous, last?.uid ?? '');
    const own = await service.request('POST', '/agent/runs', {
      key: lastKey,
      body: { prompt: 'p' },
    });
    expect(own.status).toBe(403);
    await service.request('DELETE', `/agent/identities/${first?.uid}`, { key });
    expect((await run(last?.uid)).status).toBe(200);
  });

  it('are deleted together with their keys, which stop at once (interface.md 4.5)', async () => {
    const key = await newTeam();
    const { uid } = await create(key);
    const own = await agentKey(uid);
    expect((await service.request('GET', '/agent/runs', { key: own })).status).toBe(200);
    const answer = await service.request('DELETE', `/agent/identities/${uid}`, { key });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect((await service.request('GET', '/agent/runs', { key: own })).status).toBe(401);
    expect((await service.request('GET', `/agent/identities/${uid}`, { key })).status).toBe(404);
    const { db } = service.service.context;
    const left = await db
      .selectFrom('api_keys')
      .where('agent_uid', '=', uid)
      .select('id')
      .execute();
    expect(left).toEqual([]);
  });

  it('are deleted once, however many ask at the same time', async () => {
    const key = await newTeam();
    const { uid } = await create(key);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        service.request('DELETE', `/agent/identities/${uid}`, { key }),
      ),
    );
    const deleted = answers.filter(({ status }) => status === 204);
    expect(deleted).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
  });

  it('are managed by people only', async () => {
    const key = await newTeam();
    const { uid } = await create(key);
    const own = await agentKey(uid);
    const body = { name: 'more' };
    for (const [method, path] of [
      ['POST', '/agent/identities'],
      ['PUT', `/agent/identities/${uid}`],
      ['DELETE', `/agent/identities/${uid}`],
    ] as const) {
      const options = method === 'DELETE' ? { key: own } : { key: own, body };
      expect((await service.request(method, path, options)).status).toBe(403);
    }
  });
});

describe('who creates and who executes a run (interface.md 5)', () => {
  it('is the agent for an agent key', async () => {
    const key = await newTeam();
    const { uid } = await create(key, { prompt: 'Be brief', environment_id: ENVIRONMENT });
    const own = await agentKey(uid);
    const answer = await service.request('POST', '/agent/runs', {
      key: own,
      body: { prompt: 'p' },
    });
    const { run_id: id } = (await answer.json()) as { run_id: string };
    const run = await service.request('GET', `/agent/runs/${id}`, { key });
    expect(await run.json()).toMatchObject({
      creator: { type: 'service_account', uid, display_name: 'helper' },
      executor: { type: 'service_account', uid },
      agent_config: { base_prompt: 'Be brief', environment_id: ENVIRONMENT },
    });
  });

  it('differ with agent_identity_uid, and are filtered apart', async () => {
    const key = await newTeam();
    const { uid } = await create(key);
    const body = { prompt: 'p', agent_identity_uid: uid };
    const answer = await service.request('POST', '/agent/runs', { key, body });
    expect(answer.status).toBe(200);
    const count = async (filter: string): Promise<number> => {
      const list = await service.request('GET', `/agent/runs?${filter}=${uid}`, { key });
      return ((await list.json()) as { runs: unknown[] }).runs.length;
    };
    expect([await count('executor'), await count('creator')]).toEqual([1, 0]);
  });

  it('keep the agent’s program where the run only says how it is to work', async () => {
    const key = await newTeam();
    const harness = { type: 'demo', model_id: 'm', reasoning_level: 'low' };
    const { uid } = await create(key, { name: 'a', base_model: '', harness });
    const configured = async (own: object): Promise<unknown> => {
      const body = { prompt: 'p', agent_identity_uid: uid, config: { harness: own } };
      const answer = await service.request('POST', '/agent/runs', { key, body });
      const { run_id: id } = (await answer.json()) as { run_id: string };
      const run = await service.request('GET', `/agent/runs/${id}`, { key });
      return ((await run.json()) as RunItem).agent_config?.harness;
    };
    expect(await configured({ reasoning_level: 'high' })).toEqual({
      ...harness,
      reasoning_level: 'high',
    });
    expect(await configured({ type: 'oz' })).toEqual({ type: 'oz' });
  });

  it('differ with on_behalf_of, which only an agent that may can use', async () => {
    const team = randomUUID();
    const key = await service.personalKey(team, `${team}-ada`);
    const { db } = service.service.context;
    const ada = await db
      .selectFrom('users')
      .where('name', '=', `${team}-ada`)
      .select('id')
      .executeTakeFirstOrThrow();
    const plain = await agentKey((await create(key)).uid);
    const trusted = await create(key, { name: 'trusted', on_behalf_of_enabled: true });
    const trustedKey = await agentKey(trusted.uid);
    const body = { prompt: 'p', on_behalf_of: ada.id };
    const run = (as: string, asked = body) =>
      service.request('POST', '/agent/runs', { key: as, body: asked });
    expect((await run(key)).status).toBe(403);
    expect((await run(plain)).status).toBe(403);
    const stranger = await run(trustedKey, { prompt: 'p', on_behalf_of: 'nobody@example.org' });
    expect(stranger.status).toBe(400);
    const accepted = await run(trustedKey);
    const { run_id: id } = (await accepted.json()) as { run_id: string };
    const read = await service.request('GET', `/agent/runs/${id}`, { key });
    expect(await read.json()).toMatchObject({
      creator: { type: 'user', uid: ada.id },
      executor: { uid: trusted.uid },
    });
  });

  it('is refused for an agent that is not there', async () => {
    const answer = await runs.ask('POST', '/agent/runs', {
      prompt: 'p',
      agent_identity_uid: randomUUID(),
    });
    expect(answer.status).toBe(404);
  });
});
