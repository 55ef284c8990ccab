import { Hono } from 'hono';
import type { Context } from 'hono';
import type { Log } from '../../base/log.ts';
import {
  DEFAULT_MAX_BODY_BYTES,
  WAIT_MAX_SECONDS,
  type Endpoint,
} from '../../contract/endpoint.ts';
import { listEndpoints } from '../../contract/endpoints.ts';
import { isStorable } from '../../contract/primitives.ts';
import { ProblemError } from '../../contract/problem.ts';
import { decodeQuery } from '../../contract/query-codec.ts';
import type { Authenticate, Principal } from '../keys/principal.ts';
import { emptyAnswer, jsonAnswer, problemAnswer } from './answer.ts';
import { authorise } from './authorise.ts';
import type { Call, Handlers } from './call.ts';
import { parseInput } from './parse.ts';
import { packingOf, readJsonBody } from './read-body.ts';

export const API_PREFIX = '/api/v1';

export interface MountOptions {
  handlers: Handlers;
  authenticate: Authenticate;
  log: Log;
}

/**
 * Set by `fetchAs` if the request comes from a signed-in session of this process instead of with a
 * key.
 */
export type Env = { Bindings: { principal?: Principal } };
/**
 * Operations whose statements check the key themselves (leases/write-words.ts,
 * leases/take-runs.ts).
 */
const PROVING = new Set(
  ['claim', 'acknowledge', 'appendEvents', 'complete'].map((name) => `worker.${name}`),
);
type AnyHandler = (call: Call<Endpoint>) => Promise<unknown>;

/** The service's HTTP API: every endpoint of the contract that has a handler. */
export function mountEndpoints(options: MountOptions): Hono<Env> {
  const app = new Hono<Env>();
  const methods = new Map<string, string[]>();
  for (const operation of listEndpoints()) {
    const { id, endpoint } = operation;
    const handler = handlerOf(options.handlers, id);
    if (!handler) continue;
    const route = routeOf(endpoint.path);
    app.on(endpoint.method, route, (context) => answerTo(operation, handler, options, context));
    methods.set(route, [...(methods.get(route) ?? []), endpoint.method]);
  }
  for (const [route, allow] of methods) {
    const allowed = allow.includes('GET') ? [...allow, 'HEAD'] : allow;
    app.all(route, () => {
      throw new ProblemError('method_not_allowed', { allow: allowed });
    });
  }
  app.onError((error, context) => problemAnswer(error, context.req.path, options.log));
  app.notFound((context) =>
    problemAnswer(new ProblemError('resource_not_found'), context.req.path, options.log),
  );
  return app;
}

function waitSecondsOf(endpoint: Endpoint, request: Request): number | undefined {
  if (!endpoint.waits) return undefined;
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?(?:$|[,;\s])/i.exec(
    request.headers.get('prefer') ?? '',
  );
  return match ? Math.min(Number(match[1]), WAIT_MAX_SECONDS) : undefined;
}

function queryOf(endpoint: Endpoint, url: string): unknown {
  if (!endpoint.query) return undefined;
  return parseInput(endpoint.query, decodeQuery(endpoint.query, new URL(url).searchParams));
}

async function bodyOf(endpoint: Endpoint, request: Request): Promise<unknown> {
  if (endpoint.bodyKind === 'stream' && packingOf(request))
    throw new ProblemError('unsupported_media_type', { field: 'Content-Encoding' });
  if (!endpoint.body) return undefined;
  const raw = await readJsonBody(request, {
    maxBytes: endpoint.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    optional: endpoint.bodyOptional ?? false,
    partsAlone: endpoint.alsoStatus !== undefined,
  });
  return raw === undefined ? undefined : parseInput(endpoint.body, raw);
}

async function answerTo(
  { id, endpoint }: { id: string; endpoint: Endpoint },
  handler: AnyHandler,
  { authenticate }: MountOptions,
  context: Context<Env>,
): Promise<Response> {
  const request = context.req.raw;
  const params = context.req.param();
  const caller = await authorise(endpoint, request, params, context.env.principal, (key) =>
    authenticate(key, { mayBeUnproven: PROVING.has(id) }),
  );
  if (!Object.values(params).every(isStorable)) throw new ProblemError('resource_not_found');
  const call = {
    params,
    query: queryOf(endpoint, request.url),
    body: await bodyOf(endpoint, request),
    caller,
    waitSeconds: waitSecondsOf(endpoint, request),
    request,
  };
  // Each handler is typed for its own endpoint (call.ts); this is where the types meet again.
  const result = await handler(call as unknown as Call<Endpoint>);
  if (result instanceof Response) {
    // HEAD is a GET whose body nobody reads, so close whatever it would be read from.
    if (request.method === 'HEAD') await result.body?.cancel();
    return result;
  }
  return endpoint.answer === 'empty'
    ? emptyAnswer(endpoint.status)
    : jsonAnswer(result, endpoint.status);
}

/** `/agent/runs/{runId}` in the router's syntax. */
function routeOf(path: string): string {
  return API_PREFIX + path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function handlerOf(handlers: Handlers, id: string): AnyHandler | undefined {
  const [resource = '', operation = ''] = id.split('.');
  const found = (handlers as Record<string, Record<string, unknown>>)[resource]?.[operation];
  return found as AnyHandler | undefined;
}
