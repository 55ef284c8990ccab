import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { HttpAnswer, HttpRequest } from './send.ts';

// An ordinary import would also load Node's fetch and WebSocket, which cost an idle worker 7 MB.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** Variables that name proxies, such as HTTPS_PROXY and NO_PROXY, in either case. */
export type ProxyVariables = Readonly<Record<string, string>>;

const PROXY_VARIABLE = /^(https?|no)_proxy$/i;

/** Picks the variables that name proxies from an environment. */
export function proxyVariables(
  environment: Readonly<Record<string, string | undefined>>,
): ProxyVariables {
  const named = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && PROXY_VARIABLE.test(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(named);
}

/**
 * Sends requests with Node's own client, over kept connections and through the given proxies. The
 * worker uses it because undici takes a quarter of an idle worker's memory (decisions.md D23).
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

/** Resolves with the head of the answer. A later failure shows when the body is read. */
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
