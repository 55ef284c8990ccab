import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent, Member, SignIn } from '../../src/contract/people.ts';
import type { Role } from '../../src/contract/role.ts';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { createSession, findSession } from '../../src/service/sessions/sessions.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let key = '';
beforeAll(async () => {
  service = await startTestService();
  key = await service.personalKey();
});
afterAll(() => service.close());

const db = () => service.service.context.db;

interface Answered<T> {
  status: number;
  answer: T;
}

async function ask<T>(
  method: string,
  path: string,
  as = key,
  body?: unknown,
): Promise<Answered<T>> {
  const given = body === undefined ? {} : { body };
  const answer = await service.request(method, path, { key: as, ...given });
  const text = await answer.text();
  return { status: answer.status, answer: (text && JSON.parse(text)) as T };
}
const members = async () =>
  (await ask<{ members: Member[] }>('GET', '/agent/members')).answer.members;
const audit = async (query = '', key?: string) =>
  (
    await ask<{ events: AuditEvent[]; next_cursor: string | null }>(
      'GET',
      `/agent/audit${query}`,
      key,
    )
  ).answer;

/** Somebody of the team, with a key and a browser. */
async function join(user: string, role?: Role) {
  const { key } = await createPersonalKey(db(), { team: 'default', user, ...(role && { role }) });
  const found = (await members()).find((each) => each.display_name === user);
  const userId = found?.uid ?? '';
  const { id: teamId } = await db()
    .selectFrom('teams')
    .where('name', '=', 'default')
    .select('id')
    .executeTakeFirstOrThrow();
  const { token } = await createSession(
    db(),
    { userId, teamId },
    { via: 'link', browser: 'Firefox/144.0' },
  );
  return { key, userId, teamId, token, role: found?.role };
}

describe('members of a team', () => {
  it('who comes first owns it, others are members, unless the operator says what they are', async () => {
    expect((await members()).find(({ display_name }) => display_name === 'owner')?.role).toBe(
      'owner',
    );
    expect((await join('mia')).role).toBe('member');
    expect((await join('rob', 'reader')).role).toBe('reader');
  });

  it('who is removed has no sign-in and no key any more, until let back in', async () => {
    const gone = await join('gone');
    const { key: elsewhere } = await createPersonalKey(db(), { team: 'second', user: 'gone' });
    expect(await findSession(db(), gone.token)).toMatchObject({ role: 'member' });
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => ask('DELETE', `/agent/members/${gone.userId}`)),
    );
    const [removed, gave404] = [204, 404].map((code) =>
      asked.filter(({ status }) => status === code),
    );
    expect([removed?.length, gave404?.length]).toEqual([1, 19]);
    expect(await findSession(db(), gone.token)).toBeUndefined();
    expect((await ask('GET', '/agent/runs', gone.key)).status).toBe(401);
    expect((await ask('GET', '/agent/runs', elsewhere)).status).toBe(200);
    const listed = (await members()).find(({ uid }) => uid === gone.userId);
    expect(listed).toMatchObject({ role: null, keys: 0, sign_ins: 0 });
    const back = await ask<Member>('PATCH', `/agent/members/${gone.userId}`, undefined, {
      role: 'reader',
    });
    expect(back.answer).toMatchObject({ role: 'reader', keys: 0 });
    expect((await ask('GET', '/agent/runs', gone.key)).status).toBe(401);
  });

  it('a team keeps an owner, however many try at once to be the last', async () => {
    const uids = (await members()).filter(({ role }) => role === 'owner').map(({ uid }) => uid);
    const { userId, key } = await join('second owner', 'owner');
    const tries = await Promise.all(
      [...uids, userId].map((uid) =>
        ask('PATCH', `/agent/members/${uid}`, uid === userId ? key : undefined, { role: 'member' }),
      ),
    );
    expect(tries.map(({ status }) => status)).toContain(409);
    const owners = (await members()).filter(({ role }) => role === 'owner');
    expect(owners).toHaveLength(1);
    await db()
      .updateTable('memberships')
      .set({ role: 'owner' })
      .where('user_id', 'in', uids)
      .execute();
    await db()
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('user_id', '=', userId)
      .execute();
  });

  it('members see who is there and change nobody; readers change nothing', async () => {
    const [mia, rob] = [await join('mia'), await join('rob', 'reader')];
    for (const { key } of [mia, rob]) {
      expect((await ask('GET', '/agent/members', key)).status).toBe(200);
      for (const [method, path, body] of [
        ['PATCH', `/agent/members/${mia.userId}`, { role: 'owner' }],
        ['DELETE', `/agent/members/${rob.userId}`],
        ['GET', '/agent/audit'],
        ['GET', '/agent/keys?of=team'],
        ['GET', '/agent/sign-ins?of=team'],
      ] as const)
        expect([path, (await ask(method, path, key, body)).status]).toEqual([path, 403]);
    }
    expect((await ask('POST', '/agent/runs', rob.key, { prompt: 'x' })).status).toBe(403);
    expect((await ask('POST', '/agent/keys', rob.key, { name: 'mine' })).status).toBe(403);
    expect((await ask('POST', '/agent/runs', mia.key, { prompt: 'x' })).status).toBe(200);
  });

  it('owners see and revoke everybody’s keys', async () => {
    const mia = await join('mia');
    const { answer } = await ask<{ keys: { id: string; person?: { uid: string } }[] }>(
      'GET',
      '/agent/keys?of=team',
    );
    const ofMia = answer.keys.filter(({ person }) => person?.uid === mia.userId);
    for (const { id } of ofMia) expect((await ask('DELETE', `/agent/keys/${id}`)).status).toBe(204);
    expect((await ask('GET', '/agent/runs', mia.key)).status).toBe(401);
  });
});

describe('sign-ins', () => {
  it('are listed and ended, one’s own and, by owners, everybody’s; no other team’s', async () => {
    const [mia, rob] = [await join('mia'), await join('rob', 'reader')];
    const list = async (key: string) =>
      (await ask<{ sign_ins: SignIn[] }>('GET', '/agent/sign-ins', key)).answer.sign_ins;
    const [own] = await list(rob.key);
    expect(own).toMatchObject({
      via: 'link',
      browser: 'Firefox/144.0',
      person: { uid: rob.userId },
    });
    const [hers] = await list(mia.key);
    expect((await ask('DELETE', `/agent/sign-ins/${hers?.id}`, rob.key)).status).toBe(404);
    expect((await ask('DELETE', `/agent/sign-ins/${own?.id}`, rob.key)).status).toBe(204);
    expect(await findSession(db(), rob.token)).toBeUndefined();
    const stranger = await service.personalKey('third');
    expect((await ask('DELETE', `/agent/sign-ins/${hers?.id}`, stranger)).status).toBe(404);
    expect((await ask('DELETE', `/agent/sign-ins/${hers?.id}`)).status).toBe(204);
    expect(await findSession(db(), mia.token)).toBeUndefined();
  });
});

describe('the audit log (threats.md S22)', () => {
  it('says who did what to what, from where, and nothing secret', async () => {
    const { answer: made } = await ask<{ id: string; key: string }>(
      'POST',
      '/agent/keys',
      undefined,
      {
        name: 'laptop',
      },
    );
    await ask('DELETE', `/agent/keys/${made.id}`);
    const { answer: agent } = await ask<{ uid: string }>('POST', '/agent/identities', undefined, {
      name: 'helper',
    });
    await ask('PUT', `/agent/identities/${agent.uid}`, undefined, { prompt: 'SECRET prompt' });
    await ask('DELETE', `/agent/identities/${agent.uid}`);
    const schedule = { name: 'nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy', enabled: true };
    const { answer: nightly } = await ask<{ id: string }>(
      'POST',
      '/agent/schedules',
      undefined,
      schedule,
    );
    for (const word of ['pause', 'pause', 'resume'])
      await ask('POST', `/agent/schedules/${nightly.id}/${word}`, undefined, {});
    await ask('PUT', `/agent/schedules/${nightly.id}`, undefined, {
      ...schedule,
      prompt: 'Tidy up',
    });
    await ask('DELETE', `/agent/schedules/${nightly.id}`);
    const { events } = await audit('?limit=9');
    expect(events.map(({ action, object }) => `${action} ${object.name}`).toReversed()).toEqual(
      [
        'key.created laptop',
        'key.revoked laptop',
        'agent.created helper',
        'agent.changed helper',
        'agent.deleted helper',
        'schedule.created nightly',
        'schedule.paused nightly',
        'schedule.resumed nightly',
        'schedule.changed nightly',
        'schedule.deleted nightly',
      ].slice(1),
    );
    expect(events[0]).toMatchObject({
      actor: { type: 'person', display_name: 'owner' },
      address: '127.0.0.1',
      object: { type: 'schedule', id: nightly.id },
    });
    const all = JSON.stringify(await audit('?limit=500'));
    for (const secret of [made.key, 'SECRET', key]) expect(all).not.toContain(secret);
  });

  it('has the address that a proxy tells, never without its own', async () => {
    const headers = { 'x-forwarded-for': '10.9.9.9, 203.0.113.9' };
    for (const forged of [headers, { 'x-forwarded-for': '<script>' }])
      await service.request('POST', '/agent/keys', { key: key, body: {}, headers: forged });
    const { events } = await audit('?limit=2');
    expect(events.map(({ address }) => address)).toEqual([
      '127.0.0.1',
      '203.0.113.9 via 127.0.0.1',
    ]);
  });

  it('is read page by page and by who, what, which and when', async () => {
    const { events } = await audit('?limit=500');
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await audit(`?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.events.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(events.map(({ id }) => id));
    const [first] = events;
    const count = async (query: string) => (await audit(`?limit=500&${query}`)).events.length;
    const where = (fits: (event: AuditEvent) => boolean) => events.filter(fits).length;
    expect(await count('action=key.created')).toBe(where(({ action }) => action === 'key.created'));
    expect(await count(`actor=${first?.actor.uid}`)).toBe(
      where(({ actor }) => actor.uid === first?.actor.uid),
    );
    expect(await count(`object=${first?.object.id}`)).toBe(
      where(({ object }) => object.id === first?.object.id),
    );
    expect(await count(`after=${first?.at}&before=2100-01-01T00:00:00Z`)).toBeGreaterThan(0);
    expect(await count('before=2001-01-01T00:00:00Z')).toBe(0);
    for (const wrong of ['cursor=forged', 'action=nonsense', 'after=yesterday'])
      expect((await ask('GET', `/agent/audit?${wrong}`)).status).toBe(400);
  });

  it('shows a team its own and what concerns all', async () => {
    const stranger = await service.personalKey('fourth');
    const { events } = await audit('', stranger);
    expect(events.map(({ action }) => action)).toEqual([
      'key.created',
      'member.joined',
      'settings.changed',
    ]);
  });

  it('cannot be changed or deleted, not even in the database', async () => {
    for (const statement of [
      `update audit_events set action = 'x'`,
      `delete from audit_events`,
      `truncate audit_events`,
    ])
      await expect(sql.raw(statement).execute(db())).rejects.toThrow('the audit log only grows');
  });

  it('names nothing that was not done', async () => {
    const { events } = await audit('?limit=1');
    expect((await ask('DELETE', `/agent/keys/${randomUUID()}`)).status).toBe(404);
    expect(
      (await ask('PATCH', `/agent/members/${randomUUID()}`, undefined, { role: 'reader' })).status,
    ).toBe(404);
    expect((await audit('?limit=1')).events).toEqual(events);
  });
});
