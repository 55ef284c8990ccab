import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { LEASE_HEADER } from '../../src/contract/lease.ts';
import { METADATA_MAX_KEYS } from '../../src/contract/primitives.ts';
import { readJsonBody } from '../../src/service/http/read-body.ts';
import { authenticate } from '../../src/service/keys/authenticate.ts';
import { OPERATOR } from '../../src/service/audit/record-audit.ts';
import { createKey } from '../../src/service/keys/create-key.ts';
import { createPersonalKey, listKeys, revokeKey } from '../../src/service/keys/manage-keys.ts';
import { createSession, findSession } from '../../src/service/sessions/sessions.ts';
import { rowsWith } from '../support/database-rows.ts';
import { driveRuns, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Everything the service logs, at every level. */
const logged: string[] = [];
let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';

beforeAll(async () => {
  const destination = { write: (line: string) => void logged.push(line) };
  ({ service, runs, key, workerKey } = await startDriver(() =>
    startTestService({ log: createLog('service', { level: 'trace', destination }) }),
  ));
});
afterAll(() => service.close());

const status = async (as: string): Promise<number> =>
  (await service.request('GET', '/agent/runs', { key: as })).status;

describe('keys (threats.md S1)', () => {
  it('are random, at least 160 bits, with a prefix that scanners recognise', async () => {
    const { db } = service.service.context;
    const made = await Promise.all(
      Array.from({ length: 50 }, () => createPersonalKey(db, { team: 'default', user: 'owner' })),
    );
    const keys = made.map((each) => each.key);
    expect(new Set(keys).size).toBe(50);
    for (const text of keys) expect(text).toMatch(/^rl_[\w-]{27,}$/);
    for (const place of [4, 10, 20])
      expect(new Set(keys.map((text) => text[place])).size).toBeGreaterThan(8);
  });

  it('stand nowhere in the database, nor do the tokens of leases', async () => {
    await runs.create();
    const lease = await runs.begin();
    const stored = (await rowsWith(service)).join('\n');
    for (const secret of [key, workerKey, lease.run_key, lease.token]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
    const shown = JSON.stringify(await listKeys(service.service.context.db));
    expect(shown).not.toContain(key);
    expect(shown).toContain(key.slice(-4));
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('say when they were last used, stop when revoked or over, and only then', async () => {
    const { db } = service.service.context;
    const made = await createPersonalKey(db, { team: 'default', user: 'owner' });
    const used = async () => (await listKeys(db)).find(({ id }) => id === made.id)?.lastUsedAt;
    expect(await used()).toBeNull();
    expect(await status(made.key)).toBe(200);
    await vi.waitFor(async () => expect(await used()).toBeInstanceOf(Date), 30_000);
    expect(await revokeKey(db, made.id)).toBe(true);
    expect(await status(made.key)).toBe(401);
    expect(await revokeKey(db, made.id)).toBe(false);
    const person = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    const team = await db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
    const place = { kind: 'personal' as const, name: 'k', team_id: team.id, user_id: person.id };
    const over = await createKey(db, OPERATOR, {
      ...place,
      expires_at: new Date(Date.now() - 1000),
    });
    const lasting = await createKey(db, OPERATOR, {
      ...place,
      expires_at: new Date(Date.now() + 60_000),
    });
    expect([await status(over.key), await status(lasting.key)]).toEqual([401, 200]);
  });
});

describe('sessions of the pages (threats.md S1)', () => {
  it('end with the key that was pasted: when it is over, and when it is revoked', async () => {
    const { db } = service.service.context;
    const principal = await authenticate(service.service.context, key);
    const { uid: userId, teamId } = principal ?? {};
    if (!userId || !teamId) throw new Error('no owner');
    const signedIn = async (expires_at: Date | null) => {
      const held = { kind: 'personal' as const, name: 'k', team_id: teamId, user_id: userId };
      const { id: keyId } = await createKey(db, OPERATOR, { ...held, expires_at });
      return { keyId, ...(await createSession(db, { userId, teamId, keyId }, { via: 'key' })) };
    };
    const over = await signedIn(new Date(Date.now() - 1000));
    const lasting = await signedIn(new Date(Date.now() + 60_000));
    const endless = await signedIn(null);
    expect(await findSession(db, over.token)).toBeUndefined();
    expect(await findSession(db, lasting.token)).toMatchObject({ userId });
    expect(await findSession(db, endless.token)).toMatchObject({ userId });
    await revokeKey(db, endless.keyId);
    expect(await findSession(db, endless.token)).toBeUndefined();
  });
});

describe('the operator’s GitHub token (threats.md S18)', () => {
  it('goes to the worker that came with the service, in no lease or discovery of another', async () => {
    const environment = 'Abcdefghij0123456789xy';
    const repositories = [{ owner: 'acme', repo: 'web' }];
    const operated = await startDriver(() =>
      startTestService({
        config: { environments: [{ id: environment, name: 'web', team: 'default', repositories }] },
        variables: { GITHUB_TOKEN: 'ghp_operators' },
      }),
    );
    onTestFinished(() => operated.service.close());
    const [builtIn, teams] = [operated.workerKey, await operated.service.workerKey('default')];
    const said = async (as: string): Promise<string> => {
      const driver = driveRuns(operated.service, operated.key, as);
      await driver.create({ config: { environment_id: environment } });
      const lease = await driver.begin();
      const again = await operated.service.request('GET', `/worker/runs/${lease.run_id}/lease`, {
        key: as,
        headers: { [LEASE_HEADER]: lease.token },
      });
      const { db } = operated.service.service.context;
      await db
        .updateTable('skill_sources')
        .set({ requested_at: sql`now()`, claimed_until: null })
        .execute();
      const discovery = await operated.service.request('POST', '/worker/skills/claim', { key: as });
      const texts = [JSON.stringify(lease), await again.text(), await discovery.text()];
      expect(texts.map((text) => text.includes('"acme"'))).toEqual([true, true, true]);
      return texts.map((text) => text.includes('ghp_operators')).join();
    };
    expect(await said(builtIn)).toBe('true,true,true');
    expect(await said(teams)).toBe('false,false,false');
  });
});

describe('a worker (threats.md S18)', () => {
  it('that came with the service takes no run of a host of somebody’s own', async () => {
    const host = { worker_id: 'w', capacity: 1, harnesses: [], worker_host: 'rack-1' };
    const ask = (as: string) =>
      service.request('POST', '/worker/claim', { key: as, body: { ...host, capacity: 0 } });
    expect((await ask(workerKey)).status).toBe(403);
    expect((await ask(await service.workerKey('default'))).status).toBe(200);
  });
});

describe('a run’s own key (threats.md S3)', () => {
  it('reports for no other run, whatever run it names', async () => {
    const other = await runs.create();
    await runs.complete(await runs.begin(), 'SUCCEEDED');
    await runs.create();
    const lease = await runs.begin();
    const data = { reference_type: 'ticket', url: 'https://tracker.example/T-9' };
    const report = (named: string) =>
      service.request('POST', '/harness-support/report-artifact', {
        key: lease.run_key,
        body: { artifact_type: 'EXTERNAL_REFERENCE', data },
        headers: { 'x-warp-cloud-agent-id': named },
      });
    expect((await report(other)).status).toBe(404);
    expect((await report(lease.run_id.toUpperCase())).status).toBe(200);
    await runs.complete(lease, 'SUCCEEDED');
  });
});

describe('logs (threats.md S14)', () => {
  it('of a whole run carry no key, token, prompt, message or link, at any level', async () => {
    const words = { prompt: 'PROMPT-of-the-run', message: 'FOLLOWUP-of-the-run' };
    const id = await runs.create({ prompt: words.prompt, metadata: { secret: 'METADATA-value' } });
    const lease = await runs.begin();
    const at = new Date().toISOString();
    const said = { seq: 1, at, type: 'message', message_id: 'm', role: 'assistant', delta: 'SAID' };
    await runs.report(lease, 'events', { events: [said] });
    await runs.ask('POST', `/agent/runs/${id}/followups`, { message: words.message });
    await service.request('POST', `/worker/runs/${id}/heartbeat`, {
      key: workerKey,
      headers: { [LEASE_HEADER]: 'STALE-TOKEN' },
      body: {},
    });
    await service.request('GET', '/agent/runs', { key: 'rl_WRONG-KEY' });
    await runs.complete(lease, 'FAILED', 1);
    const transcript = await service.request('GET', `/agent/runs/${id}/transcript`, { key });
    const link = transcript.headers.get('location') ?? '';
    const signature = new URL(link, service.url).searchParams.get('signature') ?? 'none';
    expect(signature.length).toBeGreaterThan(20);
    const { pool } = service.service.context.database;
    const broken = Object.assign(new Error('it broke'), {
      code: '23514',
      detail: `Failing row contains (${words.prompt}).`,
    });
    const connect = vi.spyOn(pool, 'connect').mockImplementation(() => {
      throw broken;
    });
    const answer = await fetch(`${service.baseUrl}/agent/schedules`, {
      headers: { authorization: `Bearer ${key}` },
    });
    connect.mockRestore();
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.not.stringContaining('broke'),
    ]);
    const log = logged.join('');
    expect(log).toContain('it broke');
    const secrets = [key, workerKey, lease.token, lease.run_key, signature, 'rl_WRONG-KEY'];
    const texts = [...Object.values(words), 'METADATA-value', 'SAID', 'STALE-TOKEN'];
    for (const secret of [...secrets, ...texts]) expect(log).not.toContain(secret);
  });
});

describe('input beyond every cap (threats.md S9)', () => {
  const refusal = async (body: unknown) =>
    (await runs.ask<{ field?: string }>('POST', '/agent/runs', body)) as {
      status: number;
      body: { field?: string };
    };

  it.each([
    [
      'ten thousand metadata keys',
      Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, 'v'])),
    ],
    ['a metadata value of 257 bytes', { k: 'é'.repeat(129) }],
    ['a metadata key of 65 characters', { ['k'.repeat(65)]: 'v' }],
    [
      'one key too many',
      Object.fromEntries(Array.from({ length: METADATA_MAX_KEYS + 1 }, (_, n) => [`k${n}`, 'v'])),
    ],
  ])('%s is 400, naming the field', async (_, metadata) => {
    const { status: sent, body } = await refusal({ prompt: 'p', metadata });
    expect([sent, body.field?.split('.')[0]]).toEqual([400, 'metadata']);
  });

  it('a prompt, a title and more attachments than are taken are 400, naming the field', async () => {
    const image = { file_name: 'a.png', mime_type: 'image/png', data: 'AA==' };
    for (const [field, wrong] of [
      ['prompt', { prompt: 'x'.repeat(5_000_000) }],
      ['title', { prompt: 'p', title: 'x'.repeat(10_000) }],
      ['attachments', { prompt: 'p', attachments: Array.from({ length: 6 }, () => image) }],
    ] as const)
      expect(await refusal(wrong)).toMatchObject({ status: 400, body: { field } });
  });

  it('a body nested deeper than any needs, or longer than it may be, is read no further', async () => {
    const read = (body: string | ReadableStream<Uint8Array>) =>
      readJsonBody(
        new Request('http://x', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
          ...(typeof body === 'string' ? {} : { duplex: 'half' }),
        }),
        { maxBytes: 1000, optional: false },
      );
    await expect(read('['.repeat(60) + ']'.repeat(60))).resolves.toBeDefined();
    await expect(read('['.repeat(70) + ']'.repeat(70))).rejects.toThrow(/nested too deeply/);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 100;
        if (sent > 1_000_000) controller.close();
        else controller.enqueue(Buffer.alloc(100, ' '));
      },
    });
    await expect(read(endless)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(sent).toBeLessThan(2000);
  });

  it('a search that would backtrack or match all is answered quickly all the same', async () => {
    for (const q of ['%'.repeat(500), `${'a'.repeat(900)}!`, '(a+)+$', '_'.repeat(900)]) {
      const answer = await service.request('GET', `/agent/runs?q=${encodeURIComponent(q)}`, {
        key,
      });
      expect(answer.status).toBeLessThan(500);
    }
  });
});
