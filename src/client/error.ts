import { RunlinkError } from '../base/error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../contract/problem.ts';

/** Marks our errors, so that another copy of this module (a bundled one) recognises them, too. */
const BRAND = Symbol.for('runlink.client.error');

type Kind = 'problem' | 'network' | 'timeout' | 'unreadable';

/** Which call failed, and how often it was tried. */
export interface CallContext {
  operation: string;
  tries: number;
}

/** What all failures of a call share. The caller's own abort is not one of them. */
abstract class ClientError extends RunlinkError {
  readonly [BRAND] = true;
  abstract readonly kind: Kind;
  readonly context: CallContext;

  constructor(
    code: string,
    message: string,
    context: CallContext,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    const tries = context.tries > 1 ? ` after ${context.tries} tries` : '';
    const { hint, ...rest } = options;
    super(code, `${context.operation}: ${message}${tries}.`, { ...rest, ...(hint && { hint }) });
    this.name = new.target.name;
    this.context = context;
  }
}

/** What the service said when it answered with an error. */
export interface ProblemAnswer {
  status: number;
  /** A code of our catalogue; other services may send any other. */
  code: string;
  title: string;
  detail?: string | undefined;
  field?: string | undefined;
  traceId?: string | undefined;
  /** Whether the service says that the same request may succeed later. */
  retryable: boolean;
  /** How long the service asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** The service answered with an error. `code` is its machine code, `status` the HTTP status. */
export class ServiceProblem extends ClientError {
  readonly kind = 'problem';
  readonly answer: ProblemAnswer;

  constructor(answer: ProblemAnswer, context: CallContext) {
    const detail = answer.detail === undefined ? '' : ` (${answer.detail})`;
    const title = answer.title.replace(/\.$/, '');
    // A service says what is missing; an unrelated page does not.
    const isElsewhere = answer.status === 404 && answer.title === 'HTTP status 404';
    const hint = isElsewhere ? BASE_URL_HINT : HINTS[answer.code];
    super(
      answer.code,
      `the service answered ${answer.status} ${answer.code}: ${title}${detail}`,
      context,
      hint === undefined ? {} : { hint },
    );
    this.answer = answer;
  }

  get status(): number {
    return this.answer.status;
  }

  get retryable(): boolean {
    return this.answer.retryable;
  }

  get retryAfterMs(): number | undefined {
    return this.answer.retryAfterMs;
  }
}

/** Errors of OpenSSL and Node that a retry cannot change, and what to do about each. */
const TLS_HINTS: readonly [said: RegExp, hint: string][] = [
  [
    /wrong version number|packet length too long|http request/,
    'Something answers there, but not over TLS: write http:// in the base URL.',
  ],
  [/certificate has expired/, 'It has to be renewed there; check the clock of this machine, too.'],
  [/altnames/, 'The certificate there is for other names: write one of them in the base URL.'],
  [
    /certificate/i,
    'Its certificate is not trusted here: name the file of its authority in NODE_EXTRA_CA_CERTS.',
  ],
];
const NETWORK_HINT =
  'Check the base URL, the network and the proxy settings (HTTPS_PROXY, NO_PROXY).';

/** No answer: no connection, or a broken one. `sent` is false if the request never left. */
export class NetworkFailure extends ClientError {
  readonly kind = 'network';
  readonly sent: boolean;
  /** Whether a retry would fail in the same way. */
  readonly lasting: boolean;

  constructor(context: CallContext, options: { sent: boolean; cause: unknown }) {
    const reason = options.cause instanceof Error ? describe(options.cause) : String(options.cause);
    const tls = TLS_HINTS.find(([said]) => said.test(reason));
    super('network_failure', `the service could not be reached (${reason})`, context, {
      // OpenSSL's message begins with a place in its own source; only the reason is useful.
      cause: tls ? undefined : options.cause,
      hint: tls?.[1] ?? NETWORK_HINT,
    });
    this.sent = options.sent;
    this.lasting = tls !== undefined;
  }
}

/** The answer was not complete within the time of one try. */
export class TimeoutFailure extends ClientError {
  readonly kind = 'timeout';

  constructor(context: CallContext, milliseconds: number) {
    const seconds = Number((milliseconds / 1000).toPrecision(3));
    super('timeout', `no complete answer within ${seconds} s`, context);
  }
}

/** The answer does not match the interface. `garbled` if it is not even JSON. */
export class UnreadableAnswer extends ClientError {
  readonly kind = 'unreadable';
  readonly garbled: boolean;
  readonly status: number;

  constructor(
    context: CallContext,
    options: { reason: string; garbled: boolean; status: number; cause?: unknown },
  ) {
    super('unreadable_answer', `the answer cannot be read: ${options.reason}`, context, {
      cause: options.cause,
      hint: BASE_URL_HINT,
    });
    this.garbled = options.garbled;
    this.status = options.status;
  }
}

const BASE_URL_HINT =
  'Check that the base URL is the API of a run service and ends with its version, such as /api/v1.';
const HINTS: Partial<Record<string, string>> = {
  authentication_required: 'Check the API key (RUNLINK_API_KEY, or the input api-key).',
  not_authorized: 'Use a key whose owner may do this.',
} satisfies Partial<Record<ErrorCode, string>>;

/** The code for a status if the body names none. */
export function codeOfStatus(status: number): ErrorCode {
  const codes = Object.entries(ERROR_CATALOGUE) as [ErrorCode, { status: number }][];
  const exact = PREFERRED[status] ?? codes.find(([, entry]) => entry.status === status)?.[0];
  return exact ?? (status >= 500 ? 'internal_error' : 'invalid_request');
}

/** The most general code of a status that several codes share. */
const PREFERRED: Partial<Record<number, ErrorCode>> = {
  403: 'not_authorized',
  500: 'internal_error',
};

function describe(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return describe(error.errors[0]);
  // OpenSSL's form: `EPROTO 405D…:error:0A00010B:SSL routines:function:what it is:file:line:`.
  const ssl = /SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1];
  return ssl === undefined ? error.message || error.name : `TLS: ${ssl}`;
}

/** Everything the client throws; `kind` tells them apart. */
export type ClientFailure = ServiceProblem | NetworkFailure | TimeoutFailure | UnreadableAnswer;

export function isClientError(thrown: unknown): thrown is ClientFailure {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown;
}

/** Whether this is an error answer of the service and, with `code`, whether it is that one. */
export function isProblem(thrown: unknown, code?: ErrorCode): thrown is ServiceProblem {
  if (!isClientError(thrown) || thrown.kind !== 'problem') return false;
  return code === undefined || thrown.code === code;
}

/** Whether the service may have carried out the request although the call failed. */
export function isAmbiguous(failure: ClientFailure): boolean {
  if (failure.kind === 'network') return failure.sent;
  if (failure.kind === 'problem') return failure.status >= 500 || failure.status === 408;
  return true;
}
