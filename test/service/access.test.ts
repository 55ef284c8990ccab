import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createPagesBackend } from '../../src/cli/serve/pages-backend.ts';
import { decideLogin, findLogin } from '../../src/service/keys/login-requests.ts';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { driveNewTeam, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';
beforeAll(async () => {
  ({ service, runs, key, workerKey } = await startDriver(() => startTestService()));
});
afterAll(() => service.close());

interface Whoami {
  kind: string;
  key_id: string;
  profile: { uid: string; display_name: string };
  team: { uid: string; name: string };
}
const whoami = async (as: string) => {
  const answer = await service.request('GET', '/agent/whoami', { key: as });
  return { status: answer.status, body: (await answer.json()) as Whoami };
};

const verifier = 'a verifier that nobody guesses';
const challenge = createHash('sha256').update(verifier).digest('base64url');

async function begin(client = 'ada@laptop') {
  const answer = await service.request('POST', '/login/requests', { body: { client, challenge } });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Record<'login_id' | 'user_code' | 'approve_url', string>;
}

async function finish(loginId: string, proof = verifier) {
  const answer = await service.request('POST', `/login/requests/${loginId}/key`, {
    body: { verifier: proof },
  });
  return {
    status: answer.status,
    ...((await answer.json()) as { state?: string; api_key?: string }),
  };
}

async function person() {
  const { body } = await whoami(key);
  const { uid: userId, display_name: displayName } = body.profile;
  return { userId, displayName, teamId: body.team.uid, keyEndsAt: null };
}

describe('a command line that asks for a key (interface.md 4.9)', () => {
  it('gets one once a person approved its code, the same however often it asks', async () => {
    const { db } = service.service.context;
    const client = `ada@${randomUUID()}`;
    const login = await begin(client);
    expect(login.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(login.approve_url).toBe(`${service.url}/settings/login?code=${login.user_code}`);
    expect(await finish(login.login_id)).toEqual({ status: 200, state: 'pending' });
    const typed = login.user_code.toLowerCase().replace('-', ' ');
    expect(await findLogin(db, typed)).toMatchObject({ client });
    expect(await decideLogin(db, typed, await person(), true)).toBe(true);
    expect(await decideLogin(db, typed, await person(), false)).toBe(false);
    expect(await findLogin(db, typed)).toBeUndefined();

    const many = await Promise.all(Array.from({ length: 8 }, () => finish(login.login_id)));
    expect(new Set(many.map((each) => each.api_key)).size).toBe(1);
    const made = many[0]?.api_key ?? '';
    expect((await whoami(made)).body).toMatchObject({
      kind: 'personal',
      profile: { display_name: 'owner' },
      team: { name: 'default' },
    });
    const keys = await runs.ask<{ keys: { id: string; name: string }[] }>('GET', '/agent/keys');
    const listed = keys.body.keys.filter((each) => each.name === client);
    expect(listed).toHaveLength(1);
    expect((await runs.ask('DELETE', `/agent/keys/${listed[0]?.id}`)).status).toBe(204);
    expect((await whoami(made)).status).toBe(401);
  });

  it('gets none without its verifier, when it is denied, or when the time is over', async () => {
    const { db } = service.service.context;
    const [denied, approved] = [await begin(), await begin()];
    await decideLogin(db, denied.user_code, await person(), false);
    await decideLogin(db, approved.user_code, await person(), true);
    expect(await finish(denied.login_id)).toEqual({ status: 200, state: 'denied' });
    expect((await finish(approved.login_id, 'another')).status).toBe(404);
    expect((await finish(randomUUID())).status).toBe(404);
    await db
      .updateTable('login_requests')
      .set({ expires_at: new Date(0) })
      .where('id', '=', approved.login_id)
      .execute();
    expect((await finish(approved.login_id)).status).toBe(404);
  });

  it('waits its turn when a thousand others wait', async () => {
    const { db } = service.service.context;
    const client = randomUUID();
    const row = { challenge, client, expires_at: new Date(Date.now() + 60_000) };
    onTestFinished(async () => {
      await db.deleteFrom('login_requests').where('client', '=', client).execute();
    });
    await db
      .insertInto('login_requests')
      .values(
        Array.from({ length: 1000 }, (_, n) => ({ ...row, id: randomUUID(), user_code: `${n}` })),
      )
      .execute();
    const answer = await service.request('POST', '/login/requests', {
      body: { client: 'c', challenge },
    });
    expect(answer.status).toBe(429);
  });
});

describe('keys over the network', () => {
  it('that a key makes, or a sign-in that was approved with it, are over when that one is', async () => {
    const { db } = service.service.context;
    const end = new Date(Date.now() + 3_600_000);
    const team = `brief-${randomUUID()}`;
    const brief = await createPersonalKey(db, { team, user: 'ann', expiresAt: end });
    const ask = async <T>(path: string, body: object): Promise<T> =>
      (await (await service.request('POST', path, { key: brief.key, body })).json()) as T;
    const { uid } = await ask<{ uid: string }>('/agent/identities', { name: 'heir' });
    await ask('/agent/keys', { name: 'mine' });
    await ask('/agent/keys', { name: 'agents', agent_uid: uid });
    const login = await begin('anns-laptop');
    const backend = createPagesBackend(service.service, {
      publicUrl: service.url,
      log: silentLog,
      closing: new AbortController().signal,
    });
    const token = (await backend.sessions.createFromKey(brief.key))?.token ?? '';
    const session = await backend.sessions.find(token);
    if (!session) throw new Error('no session');
    expect(await backend.logins.decide(session, login.user_code, true)).toBe(true);
    expect((await finish(login.login_id)).state).toBe('approved');
    await ask('/agent/keys', { name: 'of both' });
    const own = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const url = `${service.baseUrl}/agent/keys`;
    await backend.api(new Request(url, { ...own, body: '{"name":"from a page"}' }), session);
    const made = await db
      .selectFrom('api_keys')
      .where('team_id', '=', (await whoami(brief.key)).body.team.uid)
      .where('name', 'in', ['mine', 'agents', 'anns-laptop', 'of both', 'from a page'])
      .select('expires_at')
      .execute();
    expect(made).toEqual(Array.from({ length: 5 }, () => ({ expires_at: end })));
  });

  it('are a person’s own and those of the agents of the team', async () => {
    const own = await driveNewTeam(service);
    const { team, profile } = (await whoami(own.key)).body;
    const agent = (await own.ask<{ uid: string }>('POST', '/agent/identities', { name: 'fixer' }))
      .body.uid;
    const made = await own.ask<{ id: string; key: string }>('POST', '/agent/keys', {
      agent_uid: agent,
      name: 'ci',
    });
    expect((await whoami(made.body.key)).body).toMatchObject({
      kind: 'agent',
      profile: { display_name: 'fixer' },
    });
    await service.personalKey(team.name, 'bob');
    const { body } = await own.ask<{ keys: { name: string }[] }>('GET', '/agent/keys');
    expect(body.keys.map((each) => each.name).toSorted()).toEqual([
      'ci',
      `${profile.display_name}'s key`,
    ]);
    expect(JSON.stringify(body)).not.toContain(made.body.key);

    const stranger = await service.personalKey('others', 'eve');
    const revoke = (as: string) =>
      service.request('DELETE', `/agent/keys/${made.body.id}`, { key: as });
    expect((await revoke(stranger)).status).toBe(404);
    const theirs = await service.request('POST', '/agent/keys', {
      key: stranger,
      body: { agent_uid: agent },
    });
    expect(theirs.status).toBe(404);
    expect((await revoke(made.body.key)).status).toBe(403);
    expect((await revoke(own.key)).status).toBe(204);
    expect((await revoke(own.key)).status).toBe(404);
  });

  it('are made by people alone', async () => {
    for (const as of [await service.workerKey('default')])
      for (const [method, body] of [
        ['GET', undefined],
        ['POST', {}],
      ] as const)
        expect((await service.request(method, '/agent/keys', { key: as, body })).status).toBe(403);
    expect((await whoami(workerKey)).status).toBe(403);
  });
});

it('finds a run by the first digits of its id, but words that look like one as well', async () => {
  const own = await driveNewTeam(service);
  const id = await own.create({ prompt: 'first' });
  const byText = await own.create({ prompt: `look at commit 0123abcd of ${randomUUID()}` });
  const found = async (q: string) =>
    (
      await own.ask<{ runs: { run_id: string }[] }>('GET', `/agent/runs?q=${encodeURIComponent(q)}`)
    ).body.runs.map((run) => run.run_id);
  for (const q of [id.slice(0, 8), id.slice(0, 13).toUpperCase(), id])
    expect(await found(q)).toEqual([id]);
  expect(await found('0123abcd')).toEqual([byText]);
  const stranger = await service.personalKey('others', 'eve');
  const answer = await service.request('GET', `/agent/runs?q=${id.slice(0, 8)}`, { key: stranger });
  expect(((await answer.json()) as { runs: unknown[] }).runs).toEqual([]);
});
