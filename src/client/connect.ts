import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { RunlinkError } from '../base/error.ts';
import { fillPath, type Endpoint } from '../contract/endpoint.ts';
import { endpoints, type Endpoints } from '../contract/endpoints.ts';
import { LEASE_HEADER } from '../contract/lease.ts';
import { encodeQuery, type QueryValue } from '../contract/query-codec.ts';
import {
  send,
  type PreparedCall,
  type CallOptions,
  type ClientLog,
  type HttpRequest,
  type Transport,
} from './send.ts';
import { trimEnd } from '../base/trim-end.ts';

/** The body of a download. The caller must read or destroy it. */
export type Download = Dispatcher.ResponseData['body'];
type StreamBody = string | Uint8Array | Readable;

type ValueOf<E extends Endpoint> = E['answer'] extends 'redirect' | 'stream'
  ? Download
  : E['answer'] extends 'empty'
    ? undefined
    : E extends { accept: infer A extends z.ZodType }
      ? z.output<A>
      : E['answer'] extends z.ZodType
        ? z.output<E['answer']>
        : never;

type PathArgs<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...PathArgs<Rest>]
  : [];
type BodyArgs<E extends Endpoint> = E extends { bodyKind: 'stream' }
  ? [body: StreamBody]
  : E extends { body: infer B extends z.ZodType }
    ? E extends { bodyOptional: true }
      ? [body: z.input<B> | undefined]
      : [body: z.input<B>]
    : [];
type QueryArgs<E extends Endpoint> = E extends { query: infer Q extends z.ZodType }
  ? [query: z.input<Q>]
  : [];

/** The path parameters in order, then body, then query: only those that the endpoint has. */
type Args<E extends Endpoint> = [...PathArgs<E['path']>, ...BodyArgs<E>, ...QueryArgs<E>];
type Method<E extends Endpoint> = (
  ...args: [...Args<E>, options?: CallOptions]
) => Promise<ValueOf<E>>;

/** A value together with facts of the HTTP answer. `value` is absent after a 304. */
export interface Answered<T> {
  status: number;
  value: T | undefined;
  etag: string | undefined;
  /** The service held the request as asked (`Preference-Applied`). */
  waited: boolean;
}

type Resource = keyof Endpoints;
type EndpointAt<
  R extends Resource,
  O extends keyof Endpoints[R],
> = Endpoints[R][O] extends infer E extends Endpoint ? E : never;

/** A method for every endpoint, such as `client.runs.get(runId, options)`. */
export type Client = {
  readonly [R in Resource]: { readonly [O in keyof Endpoints[R]]: Method<EndpointAt<R, O>> };
} & {
  /** Makes the same call, and also returns status, ETag and whether the service waited. */
  ask<R extends Resource, O extends keyof Endpoints[R]>(
    resource: R,
    operation: O,
    args: Args<EndpointAt<R, O>>,
    options?: CallOptions,
  ): Promise<Answered<ValueOf<EndpointAt<R, O>>>>;
};

export interface ConnectSettings {
  /** With the version segment, such as `http://127.0.0.1:8787/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Sends the requests. */
  request: HttpRequest;
  /** Sent with every request, such as `User-Agent` or `X-Oz-Api-Source`. */
  headers?: Record<string, string> | undefined;
  log?: ClientLog | undefined;
  /** Defaults for every call. */
  defaults?: Pick<CallOptions, 'signal' | 'deadlineMs'> | undefined;
  /** Source of randomness in [0, 1), for jitter. */
  random?: (() => number) | undefined;
}

const PATH_PARAMETER = /\{(\w+)\}/g;

/**
 * A client that sends its requests with `settings.request`. Its methods throw `ServiceProblem`,
 * `NetworkFailure`, `TimeoutFailure` or `UnreadableAnswer`, or the reason of the signal that was
 * aborted.
 */
export function connect(settings: ConnectSettings): Client {
  const transport: Transport = {
    baseUrl: readBaseUrl(settings.baseUrl),
    headers: {
      accept: 'application/json',
      'user-agent': 'runlink',
      ...settings.headers,
      authorization: `Bearer ${readKey(settings.apiKey)}`,
    },
    request: settings.request,
    log: settings.log,
    random: settings.random ?? Math.random,
  };
  const table: Record<string, Record<string, Endpoint>> = endpoints;
  const resources = Object.entries(table).map(([resource, operations]) => [
    resource,
    Object.fromEntries(
      Object.entries(operations).map(([name, endpoint]) => {
        const call = (...args: unknown[]): Promise<Answered<unknown>> =>
          answer(transport, `${resource}.${name}`, endpoint, args, settings.defaults);
        return [name, async (...args: unknown[]) => (await call(...args)).value];
      }),
    ),
  ]);
  const ask = (
    resource: string,
    operation: string,
    args: readonly unknown[],
    options: CallOptions = {},
  ): Promise<Answered<unknown>> => {
    const endpoint = table[resource]?.[operation];
    if (!endpoint)
      throw new RunlinkError(
        'unknown_operation',
        `There is no operation ${resource}.${operation}.`,
      );
    const { defaults } = settings;
    return answer(transport, `${resource}.${operation}`, endpoint, [...args, options], defaults);
  };
  // The table's types describe the very object that is walked here.
  return { ...Object.fromEntries(resources), ask } as Client;
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new RunlinkError('invalid_base_url', `"${text}" is not a usable base URL.`, {
      hint: 'Give the API address with its version, such as https://runs.example.org/api/v1.',
    });
  }
  return trimEnd(url.href, '/');
}

function readKey(key: string): string {
  const trimmed = key.trim();
  if (/^[\x20-\x7e]+$/.test(trimmed)) return trimmed;
  throw new RunlinkError(
    'invalid_api_key',
    trimmed === ''
      ? 'The API key is empty.'
      : 'The API key has characters that cannot be part of a key.',
    { hint: 'Use the key exactly as it was shown when it was created.' },
  );
}

function callHeaders(options: CallOptions): Record<string, string> {
  return {
    ...options.headers,
    ...(options.waitSeconds !== undefined && { prefer: `wait=${options.waitSeconds}` }),
    ...(options.etag !== undefined && { 'if-none-match': options.etag }),
    ...(options.lease !== undefined && { [LEASE_HEADER]: options.lease }),
    ...(options.run !== undefined && { 'x-warp-cloud-agent-id': options.run }),
  };
}

/** Splits a method's arguments in the order of `Args`; what remains are the options. */
function plan(
  operation: string,
  endpoint: Endpoint,
  args: readonly unknown[],
): { call: Omit<PreparedCall, 'headers'>; type: string | undefined; options: CallOptions } {
  const rest = [...args];
  const names = [...endpoint.path.matchAll(PATH_PARAMETER)].map((match) => match[1] ?? '');
  const params = Object.fromEntries(names.map((name) => [name, String(rest.shift())]));
  const stream = endpoint.bodyKind === 'stream';
  const body = stream || endpoint.body ? rest.shift() : undefined;
  const query = endpoint.query ? (rest.shift() as Record<string, QueryValue> | undefined) : {};
  const search = encodeQuery(query ?? {}).toString();
  const path = fillPath(endpoint.path, params) + (search === '' ? '' : `?${search}`);
  const json = body === undefined ? null : JSON.stringify(body);
  return {
    call: { operation, endpoint, path, body: stream ? (body as StreamBody) : json },
    type: stream ? 'application/octet-stream' : json === null ? undefined : 'application/json',
    options: (rest.shift() as CallOptions | undefined) ?? {},
  };
}

async function answer(
  transport: Transport,
  operation: string,
  endpoint: Endpoint,
  args: readonly unknown[],
  defaults: CallOptions | undefined,
): Promise<Answered<unknown>> {
  const { call, type, options: own } = plan(operation, endpoint, args);
  const options = { ...defaults, ...own };
  const headers = { ...(type && { 'content-type': type }), ...callHeaders(options) };
  const reply = await send(transport, { ...call, headers }, options);
  const { etag, 'preference-applied': applied } = reply.headers;
  return {
    status: reply.status,
    value: reply.value,
    etag: typeof etag === 'string' ? etag : undefined,
    waited: typeof applied === 'string' && /\bwait\b/.test(applied),
  };
}
