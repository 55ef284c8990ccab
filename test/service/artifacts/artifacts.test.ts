import { randomBytes, randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { artifactResponse, type ArtifactResponse } from '../../../src/contract/artifact.ts';
import { LEASE_HEADER, type Lease } from '../../../src/contract/lease.ts';
import { sweepBlobs } from '../../../src/service/artifacts/sweep-blobs.ts';
import { startDriver, type RunDriver } from '../../support/run-driver.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PUBLIC = 'Public0000000000000000';
let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, key, workerKey } = await startDriver(() =>
    startTestService({
      config: { environments: [{ id: PUBLIC, name: 'open', public_artifacts: true }] },
    }),
  ));
});
afterAll(() => service.close());

async function begin(config: Record<string, unknown> = {}): Promise<Lease> {
  const id = await runs.create({ config });
  let lease = await runs.begin();
  while (lease.run_id !== id) lease = await runs.begin();
  return lease;
}

function upload(
  lease: Lease,
  filepath: string,
  content: Uint8Array<ArrayBuffer>,
  mime = 'text/plain',
) {
  const query = new URLSearchParams({ filepath, mime_type: mime, title: 'A title' });
  return fetch(`${service.baseUrl}/worker/runs/${lease.run_id}/artifacts?${query.toString()}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workerKey}`,
      [LEASE_HEADER]: lease.token,
      'content-type': 'application/octet-stream',
    },
    body: content,
  });
}

async function uploaded(lease: Lease, ...rest: [string, Uint8Array<ArrayBuffer>, string?]) {
  const answer = await upload(lease, ...rest);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { artifact_uid: string }).artifact_uid;
}

async function read(uid: string, as?: string): Promise<ArtifactResponse> {
  const options = as === undefined ? {} : { key: as };
  const answer = await service.request('GET', `/agent/artifacts/${uid}`, options);
  expect(answer.status).toBe(200);
  return artifactResponse.parse(await answer.json());
}

const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);

describe('files that a run leaves (interface.md 4.4)', () => {
  it('are listed with the run and read back through a signed link', async () => {
    const lease = await begin();
    const uid = await uploaded(lease, 'out/report.txt', text('hello'));
    const run = await runs.get(lease.run_id);
    expect(run.artifacts).toMatchObject([
      {
        artifact_type: 'FILE',
        data: {
          artifact_uid: uid,
          filename: 'report.txt',
          filepath: 'out/report.txt',
          mime_type: 'text/plain',
          size_bytes: 5,
          title: 'A title',
          written_at: expect.stringMatching(/^\d{4}-.*T.*Z$/),
        },
      },
    ]);
    const artifact = await read(uid, key);
    expect(artifact).toMatchObject({
      artifact_type: 'FILE',
      data: { filename: 'report.txt', filepath: 'out/report.txt', content_type: 'text/plain' },
    });
    const url = 'download_url' in artifact.data ? artifact.data.download_url : '';
    const content = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(await content.text()).toBe('hello');
    expect(Object.fromEntries(content.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'content-disposition': expect.stringContaining('attachment; filename="report.txt"'),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect(content.headers.get('set-cookie')).toBeNull();
  });

  it('are redirected to by /download', async () => {
    const uid = await uploaded(await begin(), 'a.bin', new Uint8Array([1, 2, 3]));
    const answer = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const content = await fetch(answer.headers.get('location') ?? '');
    expect(new Uint8Array(await content.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
  });

  it('are screenshots when they are images', async () => {
    const uid = await uploaded(await begin(), 'shot.png', new Uint8Array([9]), 'image/png');
    expect(await read(uid, key)).toMatchObject({
      artifact_type: 'SCREENSHOT',
      data: { content_type: 'image/png' },
    });
  });

  it('keep their id and get the new content when sent again', async () => {
    const { context } = service.service;
    const garbage = async () =>
      (await context.db.selectFrom('blob_garbage').select('key').execute()).map(
        ({ key: one }) => one,
      );
    const before = await garbage();
    const lease = await begin();
    const first = await uploaded(lease, 'log.txt', text('one'));
    const second = await uploaded(lease, 'log.txt', text('two more'));
    expect(second).toBe(first);
    const answer = await service.request('GET', `/agent/artifacts/${first}/download`, { key });
    expect(await (await fetch(answer.headers.get('location') ?? '')).text()).toBe('two more');
    await vi.waitFor(async () => {
      await sweepBlobs(context);
      expect((await garbage()).filter((one) => !before.includes(one))).toEqual([]);
    }, 30_000);
    expect((await runs.get(lease.run_id)).artifacts).toHaveLength(1);
  });

  it('may be empty, and large ones arrive whole', async () => {
    const lease = await begin();
    const content = new Uint8Array(randomBytes(5 * 1024 * 1024));
    for (const [name, bytes] of [
      ['empty', new Uint8Array()],
      ['large', content],
    ] as const) {
      const uid = await uploaded(lease, name, bytes);
      const answer = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
      const back = await fetch(answer.headers.get('location') ?? '');
      expect(Buffer.from(await back.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    }
  });
});

describe('a report of the same thing (interface.md 4.6)', () => {
  const url = 'https://tracker.example/T-1';
  const reportOf = async (runId: string, data: object, artifact_type = 'EXTERNAL_REFERENCE') => {
    const answer = await runs.ask<{ artifact_uid: string }>(
      'POST',
      '/harness-support/report-artifact',
      { artifact_type, data: { reference_type: 'ticket', url, ...data } },
      { 'x-warp-cloud-agent-id': runId },
    );
    expect(answer.status).toBe(200);
    return answer.body.artifact_uid;
  };

  it('changes nothing, wakes nobody and keeps what it leaves out', async () => {
    const { run_id: id } = await begin();
    const said = { title: 'Ticket', metadata: { a: { b: [1] } } };
    const uid = await reportOf(id, said);
    const { updated_at, artifacts } = await runs.get(id);
    expect(await reportOf(id, said)).toBe(uid);
    expect(await reportOf(id, {})).toBe(uid);
    expect(await reportOf(id, { url: `${url}?utm_source=mail` })).toBe(uid);
    expect(await runs.get(id)).toMatchObject({ updated_at, artifacts });
    expect(await reportOf(id, { title: 'New title' })).toBe(uid);
    const changed = await runs.get(id);
    expect(changed.artifacts).toMatchObject([{ data: { ...said, title: 'New title', url } }]);
    expect(changed.updated_at > updated_at).toBe(true);
  });

  it('is listed by its canonical URL, and a pull request keeps its status', async () => {
    const { run_id: id } = await begin();
    const pull = { url: 'https://github.com/Acme/web/pull/9/files#x', branch: 'b' };
    await reportOf(id, pull, 'PULL_REQUEST');
    const { db } = service.service.context;
    await db
      .updateTable('artifacts')
      .where('run_id', '=', id)
      .set({ data: JSON.stringify({ ...pull, status: 'merged' }) })
      .execute();
    await reportOf(id, pull, 'PULL_REQUEST');
    expect((await runs.get(id)).artifacts).toMatchObject([
      { data: { url: 'https://github.com/acme/web/pull/9', branch: 'b', status: 'merged' } },
    ]);
  });

  it('finds by a routing fragment the run of that page and no other', async () => {
    const page = 'https://gerrit.example/#/c/';
    const [one, two] = [(await begin()).run_id, (await begin()).run_id];
    await reportOf(one, { url: `${page}1/` });
    await reportOf(two, { url: `${page}2/` });
    const look = async (at: string) => {
      const path = `/agent/run-by-external-reference?url=${encodeURIComponent(at)}`;
      return (await runs.ask<{ run_id?: string }>('GET', path)).body.run_id;
    };
    expect(await look(`${page}1/`)).toBe(one);
    expect(await look(`${page}2/`)).toBe(two);
    expect(await look(`${page}3/`)).toBeUndefined();
  });
});

describe('an upload is refused', () => {
  it('with a stale lease, and changes nothing (threats.md S12)', async () => {
    const lease = await begin();
    const answer = await upload({ ...lease, token: 'stale' }, 'a.txt', text('x'));
    expect(answer.status).toBe(409);
    await runs.complete(lease, 'SUCCEEDED');
    expect((await upload(lease, 'a.txt', text('x'))).status).toBe(409);
    expect((await runs.get(lease.run_id)).artifacts).toEqual([]);
  });

  it.each(['../up', '/abs', 'a//b', 'a/../b', ''])(
    'with the path %j (threats.md S7)',
    async (path) => {
      const answer = await upload(await begin(), path, text('x'));
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ field: 'filepath' });
    },
  );

  it('without a length', async () => {
    const lease = await begin();
    const query = new URLSearchParams({ filepath: 'a', mime_type: 'text/plain' });
    const url = `${service.baseUrl}/worker/runs/${lease.run_id}/artifacts?${query.toString()}`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${workerKey}`, [LEASE_HEADER]: lease.token },
      body: new Blob(['x']).stream(),
      duplex: 'half',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ field: 'Content-Length' });
  });

  it('when the store is full, plainly, and the run goes on', async () => {
    const { blobs } = service.service.context;
    const limited = await promisify(execFile)('sh', ['-c', 'test -c /dev/full && echo yes']);
    expect(limited.stdout.trim()).toBe('yes');
    const lease = await begin();
    vi.spyOn(blobs, 'put').mockImplementationOnce(async (_, content) => {
      const { createWriteStream } = await import('node:fs');
      const { pipeline } = await import('node:stream/promises');
      const { storageProblem } = await import('../../../src/service/blobs/store.ts');
      await pipeline(content, createWriteStream('/dev/full')).catch((error: unknown) => {
        throw storageProblem(error);
      });
    });
    const answer = await upload(lease, 'a.txt', text('x'.repeat(100_000)));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await answer.json()).toMatchObject({ title: expect.stringMatching(/no space left/) });
    expect((await runs.get(lease.run_id)).state).toBe('INPROGRESS');
    await uploaded(lease, 'a.txt', text('x'));
  });
});

describe('who may read an artifact (interface.md 4.4)', () => {
  it('is its team alone while it is private', async () => {
    const uid = await uploaded(await begin(), 'secret.txt', text('s'));
    const other = await service.personalKey('others', 'other');
    for (const path of [`/agent/artifacts/${uid}`, `/agent/artifacts/${uid}/download`]) {
      expect((await service.request('GET', path)).status).toBe(401);
      expect((await service.request('GET', path, { key: other })).status).toBe(404);
      expect((await service.request('GET', path, { key: 'rl_wrong' })).status).toBe(401);
    }
  });

  it('tells without a key nothing about which exist', async () => {
    const uid = await uploaded(await begin(), 'secret.txt', text('s'));
    const body = async (id: string) => {
      const answer = await service.request('GET', `/agent/artifacts/${id}`);
      return { status: answer.status, ...((await answer.json()) as object), instance: '' };
    };
    expect(await body(uid)).toEqual(await body(randomUUID()));
  });

  it('is anyone once it is public, without its path', async () => {
    const uid = await uploaded(await begin(), 'out/open.txt', text('o'));
    const publish = (isPublic: boolean) =>
      service.request('PUT', `/agent/artifacts/${uid}/visibility`, {
        key,
        body: { public: isPublic },
      });
    expect(await (await publish(true)).json()).toEqual({ artifact_uid: uid, public: true });
    const anonymous = await read(uid);
    expect(anonymous.data).toMatchObject({ filename: 'open.txt' });
    expect(anonymous.data).not.toHaveProperty('filepath');
    expect((await read(uid, key)).data).toHaveProperty('filepath', 'out/open.txt');
    const other = await service.personalKey('others', 'other');
    expect((await read(uid, other)).data).not.toHaveProperty('filepath');
    const answer = await service.request('GET', `/agent/artifacts/${uid}/download`);
    expect(await (await fetch(answer.headers.get('location') ?? '')).text()).toBe('o');
    const foreign = await service.request('PUT', `/agent/artifacts/${uid}/visibility`, {
      key: other,
      body: { public: false },
    });
    expect(foreign.status).toBe(404);
    await publish(false);
    expect((await service.request('GET', `/agent/artifacts/${uid}`)).status).toBe(401);
  });

  it('is anyone in an environment whose artifacts are public', async () => {
    const uid = await uploaded(await begin({ environment_id: PUBLIC }), 'a.txt', text('a'));
    expect((await read(uid)).artifact_type).toBe('FILE');
  });

  it('is refused for an id that is no UUID', async () => {
    const answer = await service.request('GET', '/agent/artifacts/nonsense', { key });
    expect(answer.status).toBe(400);
  });
});

describe('signed links (threats.md S4)', () => {
  it('give nothing when forged, swapped or over', async () => {
    const lease = await begin();
    const uid = await uploaded(lease, 'a.txt', text('a'));
    const other = await uploaded(lease, 'b.txt', text('b'));
    const answer = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
    const link = answer.headers.get('location') ?? '';
    for (const wrong of [
      link.replace(uid, other),
      link.replace(/expires=\d/, 'expires=9'),
      link.replace(/signature=../, 'signature=xx'),
      link.replace('attachment', 'inline'),
    ]) {
      expect(wrong).not.toBe(link);
      expect((await fetch(wrong)).status).toBe(403);
    }
    vi.useFakeTimers({ now: Date.now() + 16 * 60_000, toFake: ['Date'] });
    expect((await fetch(link)).status).toBe(403);
    vi.useRealTimers();
    expect((await fetch(link)).status).toBe(200);
  });

  it('keep no file open for a HEAD, nor for a reader that leaves', async () => {
    const uid = await uploaded(await begin(), 'big.bin', new Uint8Array(8 * 1024 * 1024));
    const answer = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
    const link = answer.headers.get('location') ?? '';
    const read = vi.spyOn(service.service.context.blobs, 'read');
    const head = await fetch(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '8388608']);
    const leaving = new AbortController();
    await (await fetch(link, { signal: leaving.signal })).body?.getReader().read();
    leaving.abort();
    const streams = await Promise.all(read.mock.results.map(({ value }) => value));
    read.mockRestore();
    expect(streams).toHaveLength(2);
    await vi.waitFor(
      () => expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true]),
      30_000,
    );
  });
});

describe('the agent’s plan (run-lifecycle.md, "Where a run works")', () => {
  it('is a PLAN artifact with its current content inline', async () => {
    const lease = await begin();
    const plan = (seq: number, status: string) =>
      runs.report(lease, 'events', {
        events: [
          {
            seq,
            at: new Date().toISOString(),
            type: 'plan',
            entries: [{ content: 'Fix it', status }, { content: 'Test it' }],
          },
        ],
      });
    await plan(1, 'pending');
    await plan(2, 'completed');
    const { artifacts } = await runs.get(lease.run_id);
    expect(artifacts).toHaveLength(1);
    const [item] = artifacts;
    expect(item).toMatchObject({ artifact_type: 'PLAN', data: { title: 'Plan' } });
    const uid = item && 'artifact_uid' in item.data ? item.data.artifact_uid : undefined;
    const artifact = await read(uid ?? '', key);
    expect(artifact).toMatchObject({
      artifact_type: 'PLAN',
      data: {
        content: '# Plan\n\n- [x] Fix it\n- [ ] Test it\n',
        content_type: 'text/markdown',
        notebook_uid: expect.stringMatching(/^[A-Za-z0-9]{22}$/),
      },
    });
    const download = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
    expect(download.status).toBe(400);
  });
});
