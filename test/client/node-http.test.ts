import { createProxy } from 'proxy';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { nodeHttp, proxyVariables, type ProxyVariables } from '../../src/client/node-http.ts';
import { answer, breakOff, halfAnswer, silence, startScripted } from '../support/scripted-http.ts';

const RUN = { run_id: 'r1', state: 'INPROGRESS' };
const ONCE = { retry: false } as const;

function clientOf(url: string, proxies: ProxyVariables = {}) {
  return connect({ baseUrl: `${url}/api/v1`, apiKey: 'rl_key', request: nodeHttp(proxies) });
}

async function startProxy(): Promise<{ url: string; passed: string[] }> {
  const proxy = createProxy(createServer());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const passed: string[] = [];
  proxy.on('connect', (request) => passed.push(String(request.url)));
  proxy.on('request', (request) => passed.push(String(request.url)));
  const address = proxy.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, passed };
}

describe('HTTP by Node’s own client', () => {
  it('carries queries, bodies, streams and downloads', async () => {
    const long = 'ä'.repeat(300_000);
    const server = await startScripted(
      answer(200, { ...RUN, title: long }),
      answer(200, { artifact_uid: '0197a1b2-0000-7000-8000-000000000000' }),
      (_, response) => void response.end('{"a":1}\n'),
    );
    const client = clientOf(server.url);
    expect(await client.runs.get('r1')).toMatchObject({ title: long });
    const query = { filepath: 'log.txt', mime_type: 'text/plain' };
    await client.artifacts.upload('r1', Readable.from(['one ', 'two']), query, { lease: 'token' });
    expect(await text(await client.runs.transcript('r1'))).toBe('{"a":1}\n');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer rl_key');
    expect(server.seen[1]).toMatchObject({
      method: 'POST',
      body: 'one two',
      headers: { 'x-runlink-lease': 'token' },
    });
  });

  it('says how a call failed: before it left, on its way, in the middle of the answer, by silence', async () => {
    const refused = connect({
      baseUrl: 'http://127.0.0.1:9/api/v1',
      apiKey: 'k',
      request: nodeHttp({}),
    });
    await expect(refused.runs.get('r1', ONCE)).rejects.toMatchObject({
      kind: 'network',
      sent: false,
    });
    const server = await startScripted(breakOff, halfAnswer(RUN), silence);
    const client = clientOf(server.url);
    for (let round = 0; round < 2; round += 1)
      await expect(client.runs.get('r1', ONCE)).rejects.toMatchObject({
        kind: 'network',
        sent: true,
      });
    await expect(client.runs.get('r1', { ...ONCE, tryTimeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
    });
    await expect(
      client.runs.get('r1', { signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
  });

  it('goes through the proxy that the variables name, and past it where they say so', async () => {
    const server = await startScripted(answer(200, RUN));
    const proxy = await startProxy();
    const variables = proxyVariables({ HTTP_PROXY: proxy.url, PATH: '/bin' });
    expect(await clientOf(server.url, variables).runs.get('r1')).toMatchObject(RUN);
    expect(proxy.passed.join(' ')).toContain(new URL(server.url).host);
    const exempt = { ...variables, no_proxy: '127.0.0.1' };
    expect(await clientOf(server.url, exempt).runs.get('r1')).toMatchObject(RUN);
    expect(proxy.passed).toHaveLength(1);
    const secure = clientOf('https://runs.example', { https_proxy: proxy.url });
    await expect(secure.runs.get('r1', ONCE)).rejects.toMatchObject({ kind: 'network' });
    expect(proxy.passed[1]).toBe('runs.example:443');
  });
});
