import { randomInt } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/contract/problem.ts';
import type { RunItem } from '../../src/contract/run.ts';
import type { Signal } from '../../src/contract/lease.ts';
import { driveNewTeam, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  runs = await driveNewTeam(service);
});
afterAll(() => service.close());

const create = (body: object, headers?: Record<string, string>) =>
  runs.ask<Problem>('POST', '/agent/runs', { prompt: 'p', ...body }, headers);
const found = async (query: string): Promise<string[]> => {
  const { body } = await runs.ask<{ runs: RunItem[] }>('GET', `/agent/runs?${query}`);
  return body.runs.map(({ run_id }) => run_id);
};
/** What JSON makes of a key that an object literal cannot have. */
const map = (name: string, value: unknown): unknown =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);

describe('a map in a request (interface.md 2.11)', () => {
  it('is kept, found and handed on by whatever keys it has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty'),
          fc.stringMatching(/^[a-zA-Z0-9._-]{1,64}$/),
        ),
        async (name) => {
          // PostgreSQL puts shorter keys first.
          const server = { env: map(name, 'e'), command: 'c' };
          const id = await runs.create({
            metadata: map(name, 'x'),
            config: { mcp_servers: map(name, server) },
          });
          const run = await runs.get(id);
          expect(Object.entries(run.metadata ?? {})).toEqual([[name, 'x']]);
          expect(JSON.stringify(run.agent_config?.mcp_servers)).toBe(
            JSON.stringify(map(name, server)),
          );
          expect(await found(`metadata[${encodeURIComponent(name)}]=x&limit=1`)).toEqual([id]);
          expect(await found(`metadata[${encodeURIComponent(name)}]=y`)).toEqual([]);
          const lease = await runs.begin();
          expect(JSON.stringify(lease.metadata)).toBe(JSON.stringify(map(name, 'x')));
          expect(JSON.stringify(lease.config.mcp_servers)).toBe(JSON.stringify(map(name, server)));
          await runs.complete(lease, 'SUCCEEDED');
        },
      ),
      { numRuns: process.env['RUNLINK_TEST_LONG'] === undefined ? 8 : 100 },
    );
  });

  it('of a tool’s input and of a reported page is kept too', async () => {
    await runs.create();
    const lease = await runs.begin();
    const at = new Date().toISOString();
    const input = map('__proto__', { path: 'a' });
    await runs.report(lease, 'events', {
      events: [{ seq: 1, at, type: 'tool_call', call_id: 'c', input, status: 'running' }],
    });
    await runs.ask(
      'POST',
      '/harness-support/report-artifact',
      {
        artifact_type: 'EXTERNAL_REFERENCE',
        data: { reference_type: 't', url: 'https://t.example/1', metadata: map('__proto__', 1) },
      },
      { 'x-warp-cloud-agent-id': lease.run_id },
    );
    const conversation = await runs.ask('GET', `/agent/runs/${lease.run_id}/conversation`);
    expect(JSON.stringify(conversation.body)).toContain('"input":{"__proto__":{"path":"a"}}');
    expect(JSON.stringify((await runs.get(lease.run_id)).artifacts)).toContain('{"__proto__":1}');
    await runs.complete(lease, 'SUCCEEDED');
  });
});

describe('an MCP server (interface.md 2.2)', () => {
  const url = 'https://mcp.example';
  it.each([
    [422, 'headers', { command: 'c', headers: { a: 'b' } }],
    [422, 'args', { url, args: ['a'] }],
    [422, 'env', { url, env: { A: 'b' } }],
    [400, 'env', { command: 'c', env: { 'A=B': 'c' } }],
    [400, 'url', { url: 'file:///etc/passwd' }],
    [400, 'url', { url: 'mcp.example' }],
    [400, 'headers', { url, headers: { 'a b': 'c' } }],
    [400, 'headers', { url, headers: { a: 'b\r\nc: d' } }],
  ])('is refused with %s for %s that would be lost or cannot be', async (status, field, a) => {
    const mcp_servers = { a };
    const schedule = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p' };
    for (const [path, body, at] of [
      ['/agent/runs', { prompt: 'p', config: { mcp_servers } }, 'config.'],
      ['/agent/schedules', { ...schedule, agent_config: { mcp_servers } }, 'agent_config.'],
      ['/agent/identities', { name: 'n', mcp_servers }, ''],
    ] as const) {
      const answer = await runs.ask<Problem>('POST', path, body);
      expect([answer.status, answer.body.field]).toEqual([status, `${at}mcp_servers.a.${field}`]);
    }
  });
});

describe('where a run is said to come from (interface.md 5.4)', () => {
  it.each(['RUN_SCORER', 'SCHEDULED_AGENT', 'ORCHESTRATION', 'NOTHING'])(
    'cannot be %s, which is not for callers to say',
    async (source) => {
      const { status, body } = await create({}, { 'x-oz-api-source': source });
      expect([status, body.field]).toEqual([400, 'X-Oz-Api-Source']);
    },
  );

  it('is ORCHESTRATION for a child', async () => {
    const parent_run_id = await runs.create();
    const answer = await create({ parent_run_id }, { 'x-oz-api-source': 'ORCHESTRATION' });
    expect(answer.status).toBe(200);
  });
});

describe('images', () => {
  const data = Buffer.from('hi').toString('base64');

  it('under their older name and in any letter case are given to the agent', async () => {
    const id = await runs.create({
      images: [{ mime_type: 'IMAGE/PNG', data }],
      attachments: [{ file_name: 'a.webp', mime_type: 'image/WebP', data }],
    });
    let lease = await runs.begin();
    while (lease.run_id !== id) lease = await runs.begin();
    expect(lease.attachments).toEqual([
      { file_name: 'a.webp', mime_type: 'image/webp', data },
      { file_name: 'image-1.png', mime_type: 'image/png', data },
    ]);
  });

  it('of another kind, without content, or too many under both names, are refused', async () => {
    const image = { mime_type: 'image/png', data };
    const file = { file_name: 'a.png', ...image };
    for (const body of [
      { images: [{ ...image, mime_type: 'image/svg+xml' }] },
      { images: [{ ...image, data: '' }] },
      { images: [image, image, image], attachments: [file, file, file] },
    ])
      expect((await create(body)).status).toBe(400);
  });

  /** Ids of images that are stored for a run. */
  async function store(id: string, contents: readonly string[]): Promise<string[]> {
    const files = contents.map((_, at) => ({ filename: `${at + 1}.png`, mime_type: 'image/png' }));
    const { body } = await runs.ask<{
      attachments: { attachment_id: string; upload_url: string }[];
    }>('POST', `/agent/runs/${id}/attachments/prepare`, { files });
    for (const [at, content] of contents.entries()) {
      const to = body.attachments[at]?.upload_url ?? '';
      expect((await fetch(to, { method: 'PUT', body: content })).status).toBe(204);
    }
    return body.attachments.map(({ attachment_id }) => attachment_id);
  }
  const tell = (id: string, ids: readonly string[], message?: string) =>
    runs.ask<Problem & { followup_id: string; outcome: string }>(
      'POST',
      `/agent/runs/${id}/followups`,
      {
        ...(message === undefined ? {} : { message }),
        attachments: ids.map((attachment_id) => ({ attachment_id })),
      },
    );
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('that were stored before come with a follow-up, wherever the run stands', async () => {
    const id = await runs.create();
    const stored = await store(id, ['one', 'two', 'three', 'four']);
    const [early = '', late = '', third = '', fourth = ''] = stored;
    expect((await tell(id, [early], 'more')).body.outcome).toBe('queued_prompt');
    let lease = await runs.begin();
    while (lease.run_id !== id) lease = await runs.begin();
    const image = { file_name: '1.png', mime_type: 'image/png', data: base64('one') };
    expect([lease.prompt, lease.attachments]).toEqual(['do it\n\nmore', [image]]);

    const { body: told } = await tell(id, [late]);
    const beat = await runs.report<{ signals: Signal[] }>(lease, 'heartbeat', { after_signal: 0 });
    expect(beat.body.signals).toMatchObject([
      { followup_id: told.followup_id, has_attachments: true, message: expect.stringMatching(/./) },
    ]);
    const of = (followup: string) =>
      service.request('GET', `/worker/runs/${id}/followups/${followup}/attachments`, {
        key: runs.workerKey,
        headers: { 'x-runlink-lease': lease.token },
      });
    expect(await (await of(told.followup_id)).json()).toMatchObject({
      attachments: [{ data: base64('two') }],
    });
    expect((await of(id)).status).toBe(404);
    await runs.complete(lease, 'SUCCEEDED', 1);

    expect((await tell(id, [fourth, third], 'again')).body.outcome).toBe('handoff_execution');
    lease = await runs.begin();
    while (lease.run_id !== id) lease = await runs.begin();
    expect(lease.prompt).toBe('again');
    expect(lease.attachments.map(({ data }) => data)).toEqual([base64('four'), base64('three')]);
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('are taken once, for their own run, whole, and by their signed link only', async () => {
    const [id, other] = [await runs.create(), await runs.create()];
    const [one = ''] = await store(id, ['one']);
    expect((await tell(other, [one], 'm')).status).toBe(422);
    expect((await tell(id, [one], 'm')).status).toBe(200);
    expect((await tell(id, [one], 'm')).status).toBe(422);
    const files = [{ filename: 'a.png', mime_type: 'image/png' }];
    const prepared = await runs.ask<{
      attachments: { attachment_id: string; upload_url: string }[];
    }>('POST', `/agent/runs/${id}/attachments/prepare`, { files });
    const [empty] = prepared.body.attachments;
    expect((await tell(id, [empty?.attachment_id ?? ''], 'm')).status).toBe(422);
    const put = async (url: string, body: string | Uint8Array): Promise<number> =>
      (await fetch(url, { method: 'PUT', body: Buffer.from(body) })).status;
    const to = empty?.upload_url ?? '';
    expect(await put(to.replace(/signature=./, 'signature=!'), 'x')).toBe(403);
    expect(await put(to.replace(empty?.attachment_id ?? '', one), 'x')).toBe(403);
    expect(await put(to, new Uint8Array(10 * 1024 * 1024 + 1))).toBe(413);
    expect(await put(to, '')).toBe(400);
    for (const mime_type of ['image/svg+xml', 'text/html']) {
      const bad = { files: [{ filename: 'a', mime_type }] };
      const path = `/agent/runs/${id}/attachments/prepare`;
      expect((await runs.ask('POST', path, bad)).status).toBe(400);
    }
  });

  it('that nobody stored before cannot come with a follow-up: 422, and the message is not sent', async () => {
    const id = await runs.create();
    const attachment = { attachment_id: '0d9b9d0c-52a4-4d71-8f5e-6c3a8d6f1a11' };
    const send = (attachments: object[]) =>
      runs.ask<Problem>('POST', `/agent/runs/${id}/followups`, { message: 'm', attachments });
    for (const given of [attachment, { attachment_id: 'att_1' }]) {
      const { status, body } = await send([given]);
      expect([status, body.field]).toEqual([422, 'attachments.0.attachment_id']);
    }
    expect((await runs.get(id)).prompt).toBe('do it');
    expect((await send([])).status).toBe(200);
  });
});

describe('the spelling of a request (interface.md 7.3)', () => {
  it('may have null for what is optional, and not for what is required', async () => {
    const answer = await create({
      title: null,
      config: { model_id: null, harness: { type: null }, mcp_servers: null },
      metadata: null,
      attachments: null,
    });
    expect(answer.status).toBe(200);
    const bad = await create({ attachments: [null] });
    expect([bad.status, bad.body.field]).toEqual([400, 'attachments.0']);
    for (const [body, field] of [
      [{ metadata: { a: null } }, 'metadata.a'],
      [
        { config: { mcp_servers: { a: { command: 'x', url: null, env: { B: null } } } } },
        'config.mcp_servers.a.env.B',
      ],
    ] as const) {
      const lost = await create(body);
      expect([lost.status, lost.body.field]).toEqual([400, field]);
    }
    const prompt = await runs.ask<Problem>('POST', '/agent/schedules', {
      name: null,
      cron_schedule: '0 3 * * *',
      prompt: 'p',
    });
    expect([prompt.status, prompt.body.field]).toEqual([400, 'name']);
  });

  it('loses no digits of a number', async () => {
    const id = await runs.create();
    const report = (numbers: string) =>
      fetch(`${service.baseUrl}/harness-support/report-artifact`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${runs.key}`,
          'x-warp-cloud-agent-id': id,
          'content-type': 'application/json',
        },
        body: `{"artifact_type":"EXTERNAL_REFERENCE","data":{"reference_type":"t",
          "url":"https://t.example/${id}","metadata":{"__proto__":{"all":[${numbers}]}}}}`,
      });
    const exact = '9007199254740991,-9007199254740992,12345678901234567000,1e+22,-0.5';
    expect((await report(exact)).status).toBe(200);
    expect(JSON.stringify((await runs.get(id)).artifacts)).toContain(
      '{"__proto__":{"all":[9007199254740991,-9007199254740992,12345678901234567000,1e+22,-0.5]}}',
    );
    for (const number of ['9007199254740993', '-12345678901234567891']) {
      const refused = await report(`1,${number}`);
      const field = 'data.metadata.__proto__.all.1';
      expect([refused.status, await refused.json()]).toMatchObject([422, { field }]);
    }
  });

  it.each([
    '2020-01-01t00:00:00z',
    '2020-01-01T01:00:00.5+01:00',
    '2016-12-31T23:59:60Z',
    '2016-12-31t23:59:60.25z',
  ])('may have the time %s', async (time) => {
    const id = await runs.create();
    expect(
      await found(`created_after=${encodeURIComponent(time)}&limit=1&sort_by=created_at`),
    ).toEqual([id]);
    expect(await found(`created_before=${encodeURIComponent(time)}`)).toEqual([]);
  });

  it.each(['2020-01-01', '2020-01-01T00:00:61Z', '2020-13-01T00:00:60Z', '60', 'tomorrow'])(
    'may not have the time %s',
    async (time) => {
      const { status, body } = await runs.ask<Problem>('GET', `/agent/runs?created_after=${time}`);
      expect([status, body.field]).toEqual([400, 'created_after']);
    },
  );

  const post = (body: Uint8Array<ArrayBuffer>, coding: string, path = '/agent/runs') =>
    fetch(service.baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${runs.key}`,
        'content-type': 'application/json',
        'content-encoding': coding,
      },
      body,
    });

  it('may be packed with gzip, within the cap of what is unpacked', async () => {
    const good = gzipSync(JSON.stringify({ prompt: 'packed' }));
    expect((await post(good, 'gzip')).status).toBe(200);
    const huge = gzipSync(Buffer.alloc(9 * 1024 * 1024, 32));
    expect((await post(huge, 'GZIP', '/agent/schedules')).status).toBe(413);
    expect((await post(Buffer.from('no gzip'), 'gzip')).status).toBe(400);
    const other = await post(good, 'br');
    expect([other.status, (await other.json()) as Problem]).toMatchObject([
      415,
      { field: 'Content-Encoding' },
    ]);
  });
});

describe('what is as long as it may be', () => {
  /** Letters of three bytes each that do not compress. */
  const letters = (length: number): string =>
    Array.from({ length }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('');

  it('is found again: ids of an agent’s messages and calls, paths of files', async () => {
    await runs.create();
    const lease = await runs.begin();
    const at = new Date().toISOString();
    const message_id = letters(4096);
    const events = [
      { seq: 1, at, type: 'message', message_id, role: 'assistant', delta: 'one ' },
      { seq: 2, at, type: 'tool_call', call_id: letters(4096), title: 'c', status: 'running' },
      { seq: 3, at, type: 'message', message_id, role: 'assistant', delta: 'two' },
    ];
    expect((await runs.report(lease, 'events', { events })).status).toBe(200);
    const { body } = await runs.ask('GET', `/agent/runs/${lease.run_id}/conversation`);
    expect(JSON.stringify(body)).toContain('one two');
    const path = letters(820);
    expect(await runs.upload(lease, path)).toBe(await runs.upload(lease, path));
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('is refused where it is longer once it is encoded, and lists still show what is there', async () => {
    const id = await runs.create();
    const url = `https://t.example/${letters(1000)}`;
    for (const [artifact_type, more] of [
      ['EXTERNAL_REFERENCE', { reference_type: 't' }],
      ['PULL_REQUEST', { branch: 'b' }],
    ] as const) {
      const report = { artifact_type, data: { url, ...more } };
      const answer = await runs.ask<Problem>('POST', '/harness-support/report-artifact', report, {
        'x-warp-cloud-agent-id': id,
      });
      expect([answer.status, answer.body.field]).toEqual([400, 'data.url']);
    }
    const short = {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://t.example/1', branch: 'b' },
    };
    await runs.ask('POST', '/harness-support/report-artifact', short, {
      'x-warp-cloud-agent-id': id,
    });
    const older = { url: `https://t.example/${'x'.repeat(3000)}`, branch: 'b' };
    await service.service.context.db
      .updateTable('artifacts')
      .set({ data: JSON.stringify(older) })
      .where('run_id', '=', id)
      .execute();
    expect((await runs.get(id)).artifacts).toMatchObject([{ data: older }]);
  });

  it('is refused where the database has no such time or number', async () => {
    await runs.create();
    const lease = await runs.begin();
    const notice = { seq: 1, type: 'notice', level: 'info', text: 't' };
    const file = { path: 'a', status: 'added', additions: -Number.MAX_SAFE_INTEGER, deletions: 0 };
    const changes = { seq: 1, type: 'changes', base_sha: 'b', files: [file] };
    for (const [field, event] of [
      ['at', { ...notice, at: '9999-12-31T23:59:59-15:00' }],
      ['at', { ...notice, at: '0001-01-01T00:00:00+15:00' }],
      ['files.0.additions', { ...changes, at: new Date().toISOString() }],
    ] as const) {
      const answer = await runs.report<Problem>(lease, 'events', { events: [event] });
      expect([answer.status, answer.body.field]).toEqual([400, `events.0.${field}`]);
    }
    await runs.complete(lease, 'SUCCEEDED');
  });
});
