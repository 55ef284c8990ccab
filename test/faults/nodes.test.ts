import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { openServiceDatabase } from '../../src/service/create-service.ts';
import { authenticate } from '../../src/service/keys/authenticate.ts';
import { createAgentKey, revokeKey } from '../../src/service/keys/manage-keys.ts';
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from '../../src/service/migrations/list.ts';
import { useTestDatabase } from '../support/database.ts';
import { driveRuns } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** A database without anything in it. */
async function emptyDatabase(): Promise<string> {
  const { url } = await useTestDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`drop schema ${SERVICE_SCHEMA} cascade`);
  await client.query(`drop schema ${SERVICE_SCHEMA}_jobs cascade`);
  await client.end();
  return url;
}

async function startNodes(
  databaseUrl: string,
  count: number,
  config: Record<string, unknown> = {},
): Promise<TestService[]> {
  const nodes = await Promise.all(
    Array.from({ length: count }, () => startTestService({ databaseUrl, config })),
  );
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()));
  });
  return nodes;
}

async function authenticated({ service: { context } }: TestService, key: string) {
  const principal = await authenticate(context, key);
  if (!principal) throw new Error('not a good key');
  return principal;
}

describe('several nodes on one database', () => {
  it('start at the same moment on an empty database and serve as one', async () => {
    const nodes = await startNodes(await emptyDatabase(), 4);
    const [first, second] = nodes;
    if (!first || !second) throw new Error('no nodes');
    const key = await first.personalKey();
    const workerKey = await second.workerKey();
    const [here, there] = [first, second].map((node) => driveRuns(node, key, workerKey));
    if (!here || !there) throw new Error('no drivers');
    const held = second.request('POST', '/worker/claim', {
      key: workerKey,
      body: { worker_id: 'w', capacity: 1, harnesses: [] },
      headers: { prefer: 'wait=20' },
    });
    const id = await here.create();
    const { lease } = (await (await held).json()) as { lease: { run_id: string; token: string } };
    expect(lease.run_id).toBe(id);
    expect((await there.get(id)).state).toBe('PENDING');
    const page = await here.ask<{ page_info: object }>('GET', '/agent/runs?limit=1');
    expect(page.status).toBe(200);
  });

  it('stop accepting keys at once, all of them, when one revokes a key or deletes an agent (interface.md 4.5)', async () => {
    const { url } = await useTestDatabase();
    const nodes = await startNodes(url, 2);
    const [first] = nodes;
    if (!first) throw new Error('no nodes');
    const { context } = first.service;
    const key = await first.personalKey();
    const statuses = (as: string) =>
      Promise.all(
        nodes.map(async (node) => (await node.request('GET', '/agent/runs', { key: as })).status),
      );
    const made = await first.request('POST', '/agent/identities', { key, body: { name: 'bot' } });
    const { uid } = (await made.json()) as { uid: string };
    const agent = await createAgentKey(context, uid);
    expect(await statuses(agent.key)).toEqual([200, 200]);
    expect((await first.request('DELETE', `/agent/identities/${uid}`, { key })).status).toBe(204);
    expect(await statuses(agent.key)).toEqual([401, 401]);
    expect(await statuses(key)).toEqual([200, 200]);
    await context.db.updateTable('api_keys').set({ revoked_at: new Date() }).execute();
    expect(await statuses(key)).toEqual([401, 401]);
  });
});

describe('a worker whose key was revoked on another node (threats.md S1)', () => {
  it('writes nothing more, by whatever it says', async () => {
    const { url } = await useTestDatabase();
    const nodes = await startNodes(url, 2);
    const [first, second] = nodes;
    if (!first || !second) throw new Error('no nodes');
    const key = await first.personalKey();
    const at = new Date().toISOString();
    const said = {
      acknowledge: {},
      events: { events: [{ seq: 1, at, type: 'protocol' }] },
      complete: { state: 'SUCCEEDED', message: '', last_signal: 0 },
    };
    for (const [action, body] of Object.entries(said)) {
      const workerKey = await first.workerKey();
      const runs = driveRuns(first, key, workerKey);
      await runs.create();
      const lease = await runs.claim();
      if (!lease) throw new Error('nothing to claim');
      if (action !== 'acknowledge') await runs.report(lease, 'acknowledge');
      const { started_at } = await runs.get(lease.run_id);
      const { keyId } = await authenticated(second, workerKey);
      await revokeKey(second.service.context.db, keyId);
      for (let time = 0; time < 2; time += 1)
        expect((await runs.report(lease, action, body)).status).toBe(401);
      // Its lease may have run out by now: that is no word of the worker.
      const after = await runs.get(lease.run_id);
      expect([after.started_at, after.state === 'SUCCEEDED']).toEqual([started_at, false]);
    }
    const { rowCount } = await first.service.context.database.pool.query(
      `select from run_events where type = 'protocol'`,
    );
    expect(rowCount).toBe(0);
  });

  it.each([
    ['in the midst of its runs', {}],
    ['of one environment', { environment: 'web' }],
  ])('is given no run, %s, nor while its claim is held', async (_, wish) => {
    const environments = [{ id: 'Web0000000000000000000', name: 'web', link_sharing: true }];
    const config = { environment_id: 'Web0000000000000000000' };
    const { url } = await useTestDatabase();
    const nodes = await startNodes(url, 2, { environments });
    const [first, second] = nodes;
    if (!first || !second) throw new Error('no nodes');
    const key = await first.personalKey();
    const workerKey = await first.workerKey();
    const runs = driveRuns(first, key, workerKey);
    const claim = (seconds: number) =>
      first.request('POST', '/worker/claim', {
        key: workerKey,
        headers: { prefer: `wait=${seconds}` },
        body: { worker_id: 'w', capacity: 1, harnesses: [], ...wish },
      });
    await runs.create({ config });
    const given = (await (await claim(0)).json()) as { lease: object | null };
    expect(given.lease).not.toBeNull();
    const held = claim(25);
    await expect.poll(() => first.service.context.changes.waiting, { timeout: 60_000 }).toBe(1);
    const { keyId } = await authenticated(second, workerKey);
    await revokeKey(second.service.context.db, keyId);
    const id = await runs.create({ config });
    expect((await claim(0)).status).toBe(401);
    first.service.endWaits();
    const { lease = null } = (await (await held).json()) as { lease?: object | null };
    expect(lease).toBeNull();
    expect((await runs.get(id)).state).toBe('QUEUED');
  });
});

describe('an older schema', () => {
  it('is brought up to date with the data in it', async () => {
    const url = await emptyDatabase();
    const [oldest] = Object.entries(SERVICE_MIGRATIONS);
    if (!oldest) throw new Error('no migrations');
    const old = await openDatabase({
      location: { url },
      schema: SERVICE_SCHEMA,
      migrations: Object.fromEntries([oldest]),
      log: silentLog,
    });
    const team = randomUUID();
    await old.pool.query(`insert into teams (id, name, created_at) values ($1, 'default', now())`, [
      team,
    ]);
    await old.pool.query(
      `insert into runs (id, team_id, root_run_id, conversation_id, title, prompt, mode, state, created_at,
         updated_at, queued_at, source, execution_location, creator_uid, creator, executor_uid, executor,
         config, metadata, attachments, interactive, search_text)
       select id, $1, id, gen_random_uuid(), 'an old run', 'p', 'normal', 'SUCCEEDED', now(), now(), now(),
         'API', 'REMOTE', 'u', '{"uid":"u"}', 'u', '{"uid":"u"}', '{}', '{}', '[]', false, 'an old run'
       from (select gen_random_uuid() as id) x`,
      [team],
    );
    await old.close();
    await Promise.all(
      [openServiceDatabase({ url }, silentLog), openServiceDatabase({ url }, silentLog)].map(
        async (opening) => (await opening).close(),
      ),
    );
    const service = await startTestService({ databaseUrl: url });
    onTestFinished(() => service.close());
    const response = await service.request('GET', '/agent/runs', {
      key: await service.personalKey(),
    });
    expect(await response.json()).toMatchObject({ runs: [{ title: 'an old run' }] });
  });

  it('newer than this version is left alone, and the start says why', async () => {
    const { url } = await useTestDatabase();
    const [, ...rest] = Object.entries(SERVICE_MIGRATIONS);
    const opening = openDatabase({
      location: { url },
      schema: SERVICE_SCHEMA,
      migrations: Object.fromEntries(rest),
      log: silentLog,
    });
    await expect(opening).rejects.toThrow('could not be brought up to date');
  });
});
