import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createProxy } from 'proxy';
import { EnvHttpProxyAgent } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { isClientError, isProblem, NetworkFailure } from '../../src/client/error.ts';
import type { CallOptions } from '../../src/client/send.ts';
import { skipWaits } from '../support/skip-waits.ts';
import {
  answer,
  breakOff,
  halfAnswer,
  silence,
  startScripted,
  type Script,
} from '../support/scripted-http.ts';

const RUN = { run_id: 'r1', state: 'INPROGRESS' };
const NO_JITTER = 0.001;

const clientOf = (url: string): Client =>
  createClient({ baseUrl: `${url}/api/v1`, apiKey: 'rl_key', random: () => NO_JITTER });

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('the call was expected to fail'),
    (error: unknown) => error,
  );

const problem = (status: number, code: string, more: object = {}): object => ({
  type: `https://docs.example/errors/${code}`,
  title: 'No.',
  status,
  error: 'No.',
  error_code: code,
  ...more,
});

describe('a call', () => {
  it('fills the path, the query, the body and the headers', async () => {
    const server = await startScripted(answer(200, { ...RUN, runs: [] }));
    const client = clientOf(server.url);
    await client.runs.get('a/b', { waitSeconds: 5, etag: '"x"', headers: { 'x-more': '1' } });
    await client.runs.list({ state: ['QUEUED', 'FAILED'], metadata: { 'runlink.request': 'a b' } });
    await client.runs.create({ prompt: 'hello' });
    await client.worker
      .heartbeat('r1', { after_signal: 3 }, { lease: 'token', retry: false })
      .catch(() => undefined);
    const [get, list, create, beat] = server.seen;
    expect(get).toMatchObject({
      method: 'GET',
      path: '/api/v1/agent/runs/a%2Fb',
      headers: {
        authorization: 'Bearer rl_key',
        prefer: 'wait=5',
        'if-none-match': '"x"',
        'x-more': '1',
      },
    });
    expect(list?.query.getAll('state')).toEqual(['QUEUED', 'FAILED']);
    expect(list?.query.get('metadata[runlink.request]')).toBe('a b');
    expect(create).toMatchObject({
      method: 'POST',
      path: '/api/v1/agent/runs',
      body: '{"prompt":"hello"}',
    });
    expect(beat).toMatchObject({
      path: '/api/v1/worker/runs/r1/heartbeat',
      headers: { 'x-runlink-lease': 'token' },
    });
  });

  it('sends content as it is, and only once when it is a stream', async () => {
    const server = await startScripted(breakOff);
    const client = clientOf(server.url);
    const query = { filepath: 'log.txt', mime_type: 'text/plain' };
    const content = Readable.from(['one ', 'two']);
    const error = await failure(client.artifacts.upload('r1', content, query, { lease: 'token' }));
    expect(error).toMatchObject({ kind: 'network' });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      body: 'one two',
      headers: { 'content-type': 'application/octet-stream', 'x-runlink-lease': 'token' },
    });
    expect(server.seen[0]?.query.get('filepath')).toBe('log.txt');
  });

  it('keeps states and fields it does not know', async () => {
    const server = await startScripted(answer(200, { run_id: 'r1', state: 'DREAMING', extra: 1 }));
    expect(await clientOf(server.url).runs.get('r1')).toMatchObject({
      state: 'DREAMING',
      extra: 1,
    });
  });

  it('follows a transcript to another place without taking the key along', async () => {
    const store = await startScripted((_, response) => void response.end('{"a":1}\n'));
    const server = await startScripted((_, response) => {
      response.writeHead(302, { location: `${store.url}/t?sig=1` }).end();
    });
    const body = await clientOf(server.url).runs.transcript('r1');
    expect(await text(body)).toBe('{"a":1}\n');
    expect(store.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('goes through the proxy that the environment names', async () => {
    const server = await startScripted(answer(200, RUN));
    const proxy = createProxy(createServer());
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const passed: string[] = [];
    proxy.on('connect', (request) => passed.push(String(request.url)));
    proxy.on('request', (request) => passed.push(String(request.url)));
    const address = proxy.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const dispatcher = new EnvHttpProxyAgent({
      httpProxy: `http://127.0.0.1:${port}`,
      noProxy: '',
    });
    onTestFinished(() => dispatcher.close());
    const client = createClient({ baseUrl: `${server.url}/api/v1`, apiKey: 'k', dispatcher });
    expect(await client.runs.get('r1')).toMatchObject(RUN);
    expect(passed.join(' ')).toContain(new URL(server.url).host);
  });

  it('refuses a base URL and a key that cannot work, before any call', () => {
    expect(() => createClient({ baseUrl: 'ftp://x', apiKey: 'k' })).toThrow(
      /not a usable base URL/,
    );
    expect(() => createClient({ baseUrl: 'http://x/api/v1', apiKey: ' ' })).toThrow(/empty/);
    expect(() => createClient({ baseUrl: 'http://x/api/v1', apiKey: 'a\nb' })).toThrow(
      /characters/,
    );
  });
});

describe('a failing call', () => {
  const get =
    (scripts: Script[], options: CallOptions = {}) =>
    async () => {
      const server = await startScripted(...scripts);
      const result = await clientOf(server.url)
        .runs.get('r1', options)
        .catch((error: unknown) => error);
      return { result, tries: server.seen.length };
    };

  it.each([
    ['a broken connection', breakOff],
    ['half an answer', halfAnswer(RUN)],
    ['garbage', answer(200, '<html>')],
    ['a web page', answer(200, '<html>', { 'content-type': 'text/html' })],
    ['500', answer(500, 'oops')],
    ['503', answer(503, problem(503, 'service_unavailable'))],
    ['429', answer(429, problem(429, 'resource_unavailable'), { 'retry-after': '0' })],
  ])('is repeated after %s when it only reads', async (_, script) => {
    const { result, tries } = await get([script, script, answer(200, RUN)])();
    expect(result).toMatchObject(RUN);
    expect(tries).toBe(3);
  });

  it.each([
    ['404', answer(404, problem(404, 'resource_not_found'))],
    [
      'a failure that the service calls final',
      answer(500, problem(500, 'x', { retryable: false })),
    ],
    ['x-should-retry: false', answer(503, problem(503, 'x'), { 'x-should-retry': 'false' })],
    ['a conflict without a time to come back', answer(409, problem(409, 'conflict'))],
    ['an answer of another shape', answer(200, { other: true })],
  ])('is not repeated after %s', async (_, script) => {
    const { result, tries } = await get([script, answer(200, RUN)])();
    expect(isClientError(result)).toBe(true);
    expect(tries).toBe(1);
  });

  it('says where to look when another site answers that there is nothing', async () => {
    const { result } = await get([answer(404, '<h1>Not Found</h1>')])();
    expect(result).toMatchObject({ hint: expect.stringContaining('/api/v1') as string });
  });

  it('waits as long as the service asks before a conflict is tried again', async () => {
    const conflict = answer(409, problem(409, 'conflict'), { 'retry-after-ms': '120' });
    const server = await startScripted(conflict, answer(200, '"r1"'));
    const waits = skipWaits();
    await clientOf(server.url).runs.cancel('r1');
    expect(server.seen).toHaveLength(2);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(120);
  });

  it('does not wait for a time past its deadline', async () => {
    const busy = answer(429, problem(429, 'resource_unavailable'), { 'retry-after': '3600' });
    const { result, tries } = await get([busy], { deadlineMs: 1000 })();
    expect(result).toMatchObject({ kind: 'problem', retryAfterMs: 3_600_000 });
    expect(tries).toBe(1);
  });

  it.each([
    ['a broken connection', breakOff],
    ['500', answer(500, 'oops')],
    ['garbage', answer(200, '<html>')],
  ])('that starts something is not repeated after %s', async (_, script) => {
    const server = await startScripted(script, answer(200, RUN));
    const error = await failure(clientOf(server.url).runs.create({ prompt: 'x' }));
    expect(isClientError(error)).toBe(true);
    expect(server.seen).toHaveLength(1);
  });

  it('that starts something is repeated when it was never received, or refused for now', async () => {
    const busy = answer(429, problem(429, 'resource_unavailable'), { 'retry-after': '0' });
    const server = await startScripted(busy, answer(200, RUN));
    expect(await clientOf(server.url).runs.create({ prompt: 'x' })).toMatchObject(RUN);
    const gone = await startScripted(silence);
    await gone.close();
    const call = clientOf(gone.url).runs.create({ prompt: 'x' }, { deadlineMs: 300 });
    expect(await failure(call)).toMatchObject({
      kind: 'network',
      sent: false,
      context: { tries: expect.any(Number) },
    });
  });

  it('ends a silent try after its time, and asks again', async () => {
    const { result, tries } = await get([silence, answer(200, RUN)], { tryTimeoutMs: 500 })();
    expect(result).toMatchObject(RUN);
    expect(tries).toBeGreaterThanOrEqual(2);
  });

  it('ends at its deadline, however long a try may take', async () => {
    const { result } = await get([silence], { tryTimeoutMs: 60_000, deadlineMs: 50 })();
    expect(result).toMatchObject({ kind: 'timeout' });
  });

  it('lets the service hold a request for the wait asked of it, on top of the deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const held: Script = (request, response) => {
      vi.advanceTimersByTime(5000);
      return answer(200, RUN)(request, response);
    };
    const { result } = await get([held], { waitSeconds: 5, deadlineMs: 100 })();
    expect(result).toMatchObject(RUN);
  });

  it('ends at once when the caller gives up, with the reason the caller gave', async () => {
    const server = await startScripted(silence);
    const controller = new AbortController();
    const call = clientOf(server.url).runs.get('r1', { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await failure(call)).toBe(reason);
  });

  it('is tried once when the caller wants no more', async () => {
    const { tries } = await get([breakOff], { retry: false })();
    expect(tries).toBe(1);
  });
});

describe('the error of a failed call', () => {
  it('names code, field and status of the problem', async () => {
    const bad = problem(400, 'invalid_request', { detail: 'too long', field: 'title' });
    const server = await startScripted(
      answer(400, bad, { 'content-type': 'application/problem+json' }),
    );
    const error = await failure(clientOf(server.url).runs.create({ prompt: 'x' }));
    expect(isProblem(error, 'invalid_request')).toBe(true);
    expect(error).toMatchObject({ status: 400, answer: { field: 'title', detail: 'too long' } });
  });

  it('reads the code from the type where no error_code is sent', async () => {
    const old = {
      type: 'https://docs.example/errors/feature-not-available',
      title: 'Off',
      status: 403,
    };
    const server = await startScripted(answer(403, old));
    expect(
      isProblem(await failure(clientOf(server.url).runs.list({})), 'feature_not_available'),
    ).toBe(true);
  });

  it('says nothing of keys or bodies', async () => {
    const server = await startScripted(answer(200, 'secret-body'));
    const error = await failure(clientOf(server.url).runs.get('r1', { retry: false }));
    expect(String(error)).not.toMatch(/rl_key|secret-body/);
  });
});

describe('a service that cannot be reached', () => {
  it('that breaks off late is held as long again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const after =
      (ms: number, script: Script): Script =>
      (request, response) => {
        vi.advanceTimersByTime(ms);
        return script(request, response);
      };
    const scripts = [after(4999, breakOff), after(5000, answer(200, RUN))];
    const server = await startScripted(...scripts);
    const held = clientOf(server.url).runs.get('r1', { waitSeconds: 5, deadlineMs: 100 });
    expect(await held).toMatchObject(RUN);
  });

  it.each([
    ['SSL routines:tls_validate_record_header:wrong version number', 'write http://'],
    ['self-signed certificate', 'NODE_EXTRA_CA_CERTS'],
    ['certificate has expired', 'renewed there'],
    ["Hostname/IP does not match certificate's altnames", 'for other names'],
    ['connect ECONNREFUSED', 'HTTPS_PROXY'],
  ])('that meets "%s" says what to do', (said, hint) => {
    const context = { operation: 'runs.list', tries: 1 };
    const failure = new NetworkFailure(context, { sent: false, cause: new Error(said) });
    expect(failure.hint).toContain(hint);
  });

  it('that speaks no TLS where it is asked for is not asked again', async () => {
    const server = await startScripted(answer(200, RUN));
    const client = clientOf(server.url.replace('http:', 'https:'));
    expect(await failure(client.runs.get('r1'))).toMatchObject({
      message: 'runs.get: the service could not be reached (TLS: wrong version number).',
      hint: expect.stringContaining('write http://') as string,
      context: { tries: 1 },
    });
  });
});
