import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelSession } from '../../src/worker/model/model-session.ts';
import { ModelProxy } from '../../src/worker/model/proxy.ts';
import type { ModelProtocol } from '../../src/worker/profile/profile.ts';
import { openBench, SANDBOX, SEEN_NODE } from '../support/worker-bench.ts';
import { FAKE_AGENT } from '../support/worker-remote.ts';

const KEY = 'sk-the-real-key-of-the-operator';

/** A provider that says yes to everything, and what it was asked. */
async function startProvider() {
  const asked: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming);
    incoming.resume().on('end', () => outgoing.end('{"usage":{"input_tokens":1}}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, url: `http://127.0.0.1:${port}` };
}

async function openProxy(protocol: ModelProtocol, base: string, budgetTokens?: number) {
  const provider = await startProvider();
  const upstream = {
    protocol,
    baseUrl: provider.url + base,
    header: 'x-api-key',
    key: KEY,
  } as const;
  const session = new ModelSession({
    upstream,
    budgetTokens,
    onExceeded: () => undefined,
    onCall: () => undefined,
  });
  const proxy = new ModelProxy(undefined);
  const { access } = await proxy.open(session, false);
  onTestFinished(() => proxy.close());
  /** Sent as it is written: `fetch` would tidy the path up. */
  const call = async (
    method: string,
    path: string,
    { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<number> => {
    const { hostname, port } = new URL(access.baseUrl);
    const sent = request({
      host: hostname,
      port,
      method,
      path: base + path,
      headers: { 'x-api-key': access.key, 'content-type': 'application/json', ...headers },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  };
  return { ...provider, call };
}

const NEEDED: [ModelProtocol, string, string, string][] = [
  ['anthropic', '', 'POST', '/v1/messages'],
  ['anthropic', '/gateway', 'POST', '/v1/messages?beta=true'],
  ['anthropic', '', 'POST', '/v1/messages/count_tokens'],
  ['anthropic', '', 'GET', '/v1/models/claude-x'],
  ['openai', '/v1', 'POST', '/responses'],
  ['openai', '/v1', 'POST', '/chat/completions'],
  ['openai', '/v1', 'GET', '/models'],
  ['gemini', '', 'POST', '/v1beta/models/gemini-x:streamGenerateContent?alt=sse'],
  ['gemini', '', 'POST', '/v1beta/models/gemini-x:countTokens'],
];
const OTHERS: [ModelProtocol, string, string[]][] = [
  [
    'anthropic',
    '',
    [
      'GET /v1/messages',
      'GET /v1/files',
      'POST /v1/files',
      'POST /v1/messages/batches',
      'GET /v1/organizations/api_keys',
      'DELETE /v1/models/x',
      'POST /v1/messages/../files',
      'POST /v1/messages/%2e%2e/files',
      'POST //v1/messages',
      'POST /v1/messages/',
      'POST /v1/messages%2f..%2ffiles',
      'POST /v1/complete',
      'PUT /v1/messages',
    ],
  ],
  [
    'openai',
    '/v1',
    [
      'GET /admin/keys',
      'GET /organization/admin_api_keys',
      'GET /files',
      'POST /files',
      'GET /responses/resp_1',
      'DELETE /responses/resp_1',
      'POST /batches',
      'POST /fine_tuning/jobs',
      'GET /models/../files',
      'POST /images/generations',
    ],
  ],
  [
    'gemini',
    '',
    [
      'GET /v1beta/files',
      'POST /upload/v1beta/files',
      'POST /v1beta/cachedContents',
      'GET /v1beta/tunedModels',
      'POST /v1beta/models/x:batchGenerateContent',
      'POST /v1beta/models/x:generateContent/../../files',
    ],
  ],
];

describe('the way to a model (threats.md S19)', () => {
  it.each(NEEDED)('of %s below "%s" lets %s %s pass, with the real key', async (...wanted) => {
    const [protocol, base, method, path] = wanted;
    const { asked, call } = await openProxy(protocol, base);
    expect(await call(method, path, { body: method === 'POST' ? '{}' : '' })).toBe(200);
    expect(asked).toMatchObject([{ method, url: base + path, headers: { 'x-api-key': KEY } }]);
  });

  it.each(OTHERS)('of %s lets nothing else pass', async (protocol, base, calls) => {
    const { asked, call } = await openProxy(protocol, base);
    for (const each of calls) {
      const [method = '', path = ''] = each.split(' ');
      expect(await call(method, path)).toBe(404);
    }
    expect(asked).toEqual([]);
  });

  it('is still there after an address that is none', async () => {
    const { call } = await openProxy('anthropic', '');
    for (const path of ['//[', '//a:99999/', 'http://[/'])
      expect(await call('GET', path)).toBe(401);
    expect(await call('POST', '/v1/messages', { body: '{}' })).toBe(200);
  });

  it('passes on what a call says, not whose it is', async () => {
    const { asked, call } = await openProxy('gemini', '');
    const headers = {
      'x-goog-user-project': 'other',
      'x-http-method-override': 'DELETE',
      'openai-organization': 'org-other',
      'anthropic-version': '2023-06-01',
      cookie: 'a=b',
      authorization: 'Bearer theirs',
      'x-forwarded-for': '1.2.3.4',
    };
    const path = '/v1beta/models/g:generateContent';
    const query = '?alt=sse&key=theirs&access_token=x&$.xgafv=2&fields=*&quotaUser=q';
    // The run's own key stands in a header that Google's clients use.
    const { 'x-goog-user-project': _, authorization: __, ...rest } = headers;
    expect(await call('POST', path + query, { headers: rest, body: '{}' })).toBe(200);
    expect(asked[0]?.url).toBe(`${path}?alt=sse`);
    const sent = Object.keys(asked[0]?.headers ?? {});
    for (const name of Object.keys(headers))
      expect(sent.includes(name)).toBe(name === 'anthropic-version');
    expect(asked[0]?.headers['x-api-key']).toBe(KEY);
  });

  it('lets nothing pass under a budget that does not tell what it used', async () => {
    const { asked, call } = await openProxy('openai', '/v1', 1000);
    for (const body of ['{"background":true}', 'no json', ''])
      expect(await call('POST', '/responses', { body })).toBe(400);
    expect(asked).toEqual([]);
    expect(await call('POST', '/responses', { body: '{}' })).toBe(200);
  });

  it('is no way for an agent in its sandbox to the provider’s files', async () => {
    const provider = await startProvider();
    const bench = await openBench();
    await bench.start({
      sandbox: SANDBOX,
      network: 'none',
      harnesses: { fake: { agent: 'opencode', command: [process.execPath, FAKE_AGENT] } },
      environment: {
        PATH: process.env['PATH'],
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${provider.url}/v1`,
      },
    });
    const code = `const c = JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).provider.runlink.options;
      for (const [method, path] of [['GET', '/files'], ['GET', '/admin/keys'], ['POST', '/chat/completions']]) {
        const body = method === 'POST' ? '{}' : undefined;
        const headers = { authorization: 'Bearer ' + c.apiKey, 'content-type': 'application/json' };
        const answer = await fetch(c.baseURL + path, { method, headers, body });
        console.log(path, answer.status);
      }
      await fetch('${provider.url}/v1/files').catch(() => console.log('no other way'));`;
    const shell = `${SEEN_NODE} --input-type=module -e '${code.replaceAll("'", `'"'"'`)}'`;
    const run = await bench.ended(bench.fake([{ shell }, { say: 'done' }]));
    const output = run.events.flatMap((event) =>
      event.type === 'tool_call' ? (event.output_delta ?? []) : [],
    );
    expect(output.join('')).toBe(
      '/files 404\n/admin/keys 404\n/chat/completions 200\nno other way\n',
    );
    expect(provider.asked.map(({ url }) => url)).toEqual(['/v1/chat/completions']);
    expect(provider.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });
});
