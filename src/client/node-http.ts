import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { HttpAnswer, HttpRequest } from './send.ts';

// Importing these as modules loads Node's whole fetch and WebSocket beside them: 7 MB of an idle worker.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** Variables that name proxies, such as HTTPS_PROXY and NO_PROXY, in either case. */
export type ProxyVariables = Readonly<Record<string, string>>;

const PROXY_VARIABLE = /^(https?|no)_proxy$/i;

/** Those of an environment's variables that name proxies. */
export function proxyVariables(
  environment: Readonly<Record<string, string | undefined>>,
): ProxyVariables {
  const named = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && PROXY_VARIABLE.test(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(named);
}

/**
 * HTTP by Node's own client over kept connections, through the proxies named. A long-lived worker
 * speaks it instead of undici, which takes up a quarter of an idle worker's memory.
 */
export function nodeHttp(proxyEnv: ProxyVariables): HttpRequest {
  const options = { keepAlive: true, proxyEnv: { ...proxyEnv } };
  const agents: Record<string, Agent> = {};
  return async (url, { signal, method = 'GET', headers = {}, body = null }) => {
    const secure = url.startsWith('https:');
    const { request } = secure ? https : http;
    const agent = (agents[url.slice(0, 5)] ??= secure
      ? new https.Agent(options)
      : new http.Agent(options));
    const call = request(url, { agent, signal, method, headers });
    const answer = answered(call);
    if (body instanceof Readable) pipeline(body, call).catch(() => undefined);
    else call.end(body ?? undefined);
    return withReaders(await answer);
  };
}

/** The head of the answer. What fails after it fails the reading of its body. */
function answered(call: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.on('error', reject);
    call.once('response', resolve);
  });
}

function withReaders(answer: IncomingMessage): HttpAnswer {
  return {
    statusCode: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Object.assign(answer, {
      text: () => text(answer),
      dump: async () => void answer.resume(),
    }),
  };
}
