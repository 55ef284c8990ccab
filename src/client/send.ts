import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { retry } from '../base/retry.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { LEASE_HEADER, SENT_AT_HEADER } from '../contract/lease.ts';
import {
  NetworkFailure,
  TimeoutFailure,
  UnreadableAnswer,
  isClientError,
  type CallContext,
} from './error.ts';
import { readProblem, readValue, type RawAnswer } from './reply.ts';
import { headerText, mayRetry, retryDelayMs } from './retry.ts';

/** Default times for one try, and for all tries of a call together. */
const TRY_TIMEOUT_MS = 30_000;
const DEADLINE_MS = 120_000;
/** Redirects followed on the way to a download. */
const REDIRECTS_MAX = 5;

/** The methods of a log that the client calls; a pino logger has them. */
export interface ClientLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** One HTTP exchange, such as undici's `request`. */
export type HttpRequest = (
  url: string,
  options: {
    signal: AbortSignal;
    method?: Endpoint['method'];
    headers?: Record<string, string>;
    body?: string | Uint8Array | Readable | null;
  },
) => Promise<HttpAnswer>;

export interface HttpAnswer {
  statusCode: number;
  headers: Dispatcher.ResponseData['headers'];
  body: Readable & { text(): Promise<string>; dump(): Promise<void> };
}

/** How the client reaches the service. */
export interface Transport {
  request: HttpRequest;
  /** Without a slash at its end. */
  baseUrl: string;
  headers: Record<string, string>;
  log?: ClientLog | undefined;
  random: () => number;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Longest time of one try, in milliseconds, plus `waitSeconds`. Default: 30 s. */
  tryTimeoutMs?: number | undefined;
  /**
   * Longest time of all tries and their pauses, plus `waitSeconds`; of a call that is held, from its
   * first failure on. Default: 2 minutes.
   */
  deadlineMs?: number | undefined;
  /** `false`: one try only. */
  retry?: boolean | undefined;
  headers?: Record<string, string> | undefined;
  /** Sends `Prefer: wait=N` (run-lifecycle.md, "Waiting"). */
  waitSeconds?: number | undefined;
  /** Sends `If-None-Match`; a 304 then leaves the reply without a value. */
  etag?: string | undefined;
  /** Token of a worker's lease. */
  lease?: string | undefined;
  /** The run that is reported for, sent as `X-Warp-Cloud-Agent-ID`. */
  run?: string | undefined;
}

/** One call, ready to be sent any number of times. */
export interface PreparedCall {
  operation: string;
  endpoint: Endpoint;
  /** Relative to the base URL, with the query. */
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | Readable | null;
}

/** An answer: the parsed value, or the open body of a download. */
export interface Reply {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  value: unknown;
}

/** Error codes of connections that failed before the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request failed before it was sent, so that repeating it cannot do anything twice. */
export function wasNeverSent(error: unknown): boolean {
  return codesOf(error).some((code) => NEVER_SENT.has(code));
}

/** Throws our own failure for anything that was thrown, or the reason of the caller's signal. */
function explain(error: unknown, context: CallContext, signal: AbortSignal | undefined): never {
  if (signal?.aborted) throw signal.reason;
  if (isClientError(error)) throw error;
  throw new NetworkFailure(context, { sent: !wasNeverSent(error), cause: error });
}

/** Follows redirects to a download. The key is sent to the service only. */
async function follow(
  first: HttpAnswer,
  firstUrl: string,
  open: (url: string) => Promise<HttpAnswer>,
  context: CallContext,
): Promise<HttpAnswer> {
  let [answer, url] = [first, firstUrl];
  for (let hops = 0; answer.statusCode >= 300 && answer.statusCode < 400; hops += 1) {
    const location = headerText(answer.headers, 'location');
    await answer.body.dump();
    const next = location === undefined ? null : URL.parse(location, url);
    if (!next || !/^https?:$/.test(next.protocol) || hops === REDIRECTS_MAX) {
      const reason = next ? 'it redirects too often' : 'it redirects without a usable address';
      throw new UnreadableAnswer(context, { reason, garbled: false, status: answer.statusCode });
    }
    url = next.href;
    answer = await open(url);
  }
  return answer;
}

async function readAnswer(answer: HttpAnswer): Promise<RawAnswer> {
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

function isDownload(endpoint: Endpoint): boolean {
  return endpoint.answer === 'redirect' || endpoint.answer === 'stream';
}

async function exchange(
  transport: Transport,
  call: PreparedCall,
  context: CallContext,
  signal: AbortSignal,
): Promise<Reply> {
  const { method } = call.endpoint;
  const { request } = transport;
  const url = transport.baseUrl + call.path;
  const headers = {
    ...transport.headers,
    ...call.headers,
    ...(LEASE_HEADER in call.headers && { [SENT_AT_HEADER]: new Date().toISOString() }),
  };
  const first = await request(url, { signal, method, headers, body: call.body });
  const answer = isDownload(call.endpoint)
    ? await follow(first, url, (next) => request(next, { signal }), context)
    : first;
  const status = answer.statusCode;
  if (status === 304 || (status < 300 && isDownload(call.endpoint))) {
    if (status === 304) await answer.body.dump();
    return { status, headers: answer.headers, value: status === 304 ? undefined : answer.body };
  }
  const raw = await readAnswer(answer);
  if (status >= 400) throw readProblem(raw, context, Date.now());
  if (status >= 300) {
    const reason = `it redirects (${status}) where an answer was expected`;
    throw new UnreadableAnswer(context, { reason, garbled: false, status });
  }
  return { status, headers: raw.headers, value: readValue(call.endpoint, raw, context) };
}

/** Makes one try within its time limit. The body of a download may be read after that. */
async function tryOnce(
  transport: Transport,
  call: PreparedCall,
  context: CallContext,
  limits: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Reply> {
  const { timeoutMs, signal } = limits;
  const controller = new AbortController();
  const late = (): void => controller.abort(new TimeoutFailure(context, timeoutMs));
  const timer = setTimeout(late, timeoutMs);
  const either = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  try {
    return await exchange(transport, call, context, either);
  } catch (error) {
    const isLate = controller.signal.aborted && !wasNeverSent(error);
    return explain(isLate ? controller.signal.reason : error, context, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a call, and repeats it if that is safe, until it succeeds or the deadline is near. */
export async function send(
  transport: Transport,
  call: PreparedCall,
  options: CallOptions,
): Promise<Reply> {
  const { signal, tryTimeoutMs = TRY_TIMEOUT_MS, deadlineMs = DEADLINE_MS } = options;
  const heldMs = (options.waitSeconds ?? 0) * 1000;
  let deadline = performance.now() + deadlineMs + heldMs;
  const attempt = async (tries: number): Promise<Reply> => {
    const begun = performance.now();
    // After a failure the service holds the request anew, for as long as the first time.
    const left = heldMs > 0 ? deadlineMs : Math.max(1, deadline - begun);
    const timeoutMs = Math.min(left, tryTimeoutMs) + heldMs;
    const context = { operation: call.operation, tries };
    const reply = await tryOnce(transport, call, context, { timeoutMs, signal });
    const ms = Math.round(performance.now() - begun);
    transport.log?.debug({ ...context, status: reply.status, ms }, 'service call');
    return reply;
  };
  const pauseMs = (error: unknown, tries: number): number | undefined => {
    const pause = pauseBeforeNextTry(transport, call, error, options);
    const now = performance.now();
    deadline = Math.min(deadline, now + (heldMs > 0 ? deadlineMs : Infinity));
    if (pause === undefined || now + pause >= deadline) return undefined;
    const code = isClientError(error) ? error.code : undefined;
    const context = { operation: call.operation, tries, code, pauseMs: pause };
    transport.log?.warn(context, 'service call failed');
    return pause;
  };
  return retry(attempt, { pauseMs, signal });
}

function isStream(body: PreparedCall['body']): boolean {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array);
}

/** Milliseconds until the next try; undefined if the failure is final. */
function pauseBeforeNextTry(
  transport: Transport,
  call: PreparedCall,
  thrown: unknown,
  options: CallOptions,
): number | undefined {
  if (!isClientError(thrown) || options.retry === false || isStream(call.body)) return undefined;
  if (!mayRetry(call.endpoint, thrown)) return undefined;
  const retryAfterMs = thrown.kind === 'problem' ? thrown.retryAfterMs : undefined;
  return Math.round(retryDelayMs(thrown.context.tries, retryAfterMs, transport.random));
}

function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...codesOf(error.cause)];
}
