import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBlobStore, type BlobStore } from '../../../src/service/blobs/store.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const MIB = 1024 * 1024;
const LOOK_EVERY = (isLong ? 16 : 32) * MIB;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Bytes of contents that somebody still holds. Garbage counts at first; only where that is too much
 * is it collected, twice, because the second collection waits for what the first frees beside us.
 */
function held(limit = 0): number {
  const all = process.memoryUsage().arrayBuffers;
  if (all < limit) return all;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

let directory = '';
let s3: S3rver;
const stores = new Map<string, BlobStore>();

function store(driver: string): BlobStore {
  const found = stores.get(driver);
  if (!found) throw new Error(`no store ${driver}`);
  return found;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runlink-blobs-'));
  s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(directory, 's3'),
    configureBuckets: [{ name: 'runs' }],
  });
  const { port } = await s3.run();
  const defaultDirectory = join(directory, 'blobs');
  stores.set('directory', await openBlobStore({ driver: 'directory' }, { defaultDirectory }));
  stores.set(
    's3',
    await openBlobStore(
      {
        driver: 's3',
        bucket: 'runs',
        region: 'us-east-1',
        endpoint: `http://127.0.0.1:${port}`,
        path_style: true,
        access_key_id_variable: 'A',
        secret_access_key_variable: 'B',
      },
      { defaultDirectory, credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } },
    ),
  );
});

afterAll(async () => {
  await s3.close();
  await rm(directory, { recursive: true, force: true });
});

function* zeros(bytes: number, onChunk: (sent: number) => void): Generator<Buffer> {
  for (let sent = 0; sent < bytes; sent += MIB) {
    onChunk(sent);
    yield Buffer.alloc(MIB);
  }
  onChunk(bytes);
}

describe.each(['directory', 's3'])('the %s content store', (driver) => {
  it('gives back what was put, and nothing after delete', async () => {
    const content = Buffer.from('hello ✓');
    await store(driver).put('runs/a/b', Readable.from([content]), {
      contentType: 'text/plain',
      contentLength: content.length,
    });
    expect(await buffer(await store(driver).read('runs/a/b'))).toEqual(content);
    await store(driver).delete('runs/a/b');
    await store(driver).delete('runs/a/b');
    await expect(store(driver).read('runs/a/b')).rejects.toMatchObject({
      code: 'service_unavailable',
      details: { retryAfterSeconds: 5 },
    });
  });

  it('streams both ways without holding the content', async () => {
    const size = (isLong ? 192 : 64) * MIB;
    let peak = 0;
    const before = held();
    const watch = (done: number): void => {
      if (done % LOOK_EVERY === 0) peak = Math.max(peak, held(before + size / 2) - before);
    };
    await store(driver).put('runs/big', Readable.from(zeros(size, watch)), {
      contentType: 'application/octet-stream',
      contentLength: size,
    });
    let read = 0;
    let looked = 0;
    for await (const chunk of await store(driver).read('runs/big')) {
      read += (chunk as Buffer).length;
      for (; looked < read; looked += MIB) watch(looked);
    }
    expect(read).toBe(size);
    expect(peak).toBeLessThan(size / 2);
  });

  it('refuses keys that leave its root (threats.md S7)', async () => {
    const meta = { contentType: 'text/plain', contentLength: 1 };
    for (const key of ['../escape', 'a/../../b', '/etc/passwd', '', 'a//b', 'A.txt'])
      await expect(store(driver).put(key, Readable.from(['x']), meta)).rejects.toThrow(/not a key/);
  });
});

describe('links of the store', () => {
  it('are the store’s own on S3, with the file name signed in', async () => {
    const content = Buffer.from('x');
    await store('s3').put('k', Readable.from([content]), {
      contentType: 'image/png',
      contentLength: 1,
    });
    const link = await store('s3').signedUrl('k', {
      contentType: 'image/png',
      disposition: 'attachment; filename="k.png"',
      expiresInSeconds: 60,
    });
    const answer = await fetch(link ?? '');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="k.png"');
    expect(answer.headers.get('content-type')).toBe('image/png');
  });

  it('are left to the service for a directory', async () => {
    const options = { contentType: 'a/b', disposition: 'attachment', expiresInSeconds: 1 };
    expect(await store('directory').signedUrl('k', options)).toBeUndefined();
  });
});

describe('a full disk', () => {
  it('is a clear error that says to free space, and leaves no half file', async () => {
    const module = new URL('../../../src/service/blobs/store.ts', import.meta.url).href;
    const full = join(directory, 'full');
    const script = `
      import { Readable } from 'node:stream';
      const { openBlobStore } = await import(${JSON.stringify(module)});
      const store = await openBlobStore({ driver: 'directory' }, { defaultDirectory: ${JSON.stringify(full)} });
      await store
        .put('big', Readable.from([Buffer.alloc(${MIB})]), { contentType: 'a/b', contentLength: ${MIB} })
        .catch((error) => console.log(JSON.stringify([error.code, error.details.title])));`;
    const limited = 'ulimit -f 128; exec "$0" --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, script]);
    expect(JSON.parse(stdout)).toEqual([
      'service_unavailable',
      'There is no space left to store this content.',
    ]);
    expect(await readdir(full)).toEqual([]);
  });
});
