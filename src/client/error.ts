import { RunlinkError } from '../base/error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../contract/problem.ts';

/** Marks our errors across copies of this module, such as one bundled into the Action. */
const BRAND = Symbol.for('runlink.client.error');

type Kind = 'problem' | 'network' | 'timeout' | 'unreadable';

/** Which call failed, and how often it was tried. */
export interface CallContext {
  operation: string;
  tries: number;
}

/** What the kinds of failure share. An abort by the caller's own signal is thrown as its reason instead. */
abstract class ClientError extends RunlinkError {
  readonly [BRAND] = true;
  abstract readonly kind: Kind;
  readonly context: CallContext;

  constructor(
    code: string,
    message: string,
    context: CallContext,
    options: { hint?: string; cause?: unknown } = {},
  ) {
    const tries = context.tries > 1 ? ` after ${context.tries} tries` : '';
    super(code, `${context.operation}: ${message}${tries}.`, options);
    this.name = new.target.name;
    this.context = context;
  }
}

/** What the service said when it answered with an error. */
export interface ProblemAnswer {
  status: number;
  /** A code of the catalogue where the service is ours or documented; any word elsewhere. */
  code: string;
  title: string;
  detail?: string | undefined;
  field?: string | undefined;
  traceId?: string | undefined;
  /** The service's own word on whether the same request may succeed later. */
  retryable: boolean;
  /** How long the service asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** The service answered, with an error. `code` is its machine code, `status` the HTTP status. */
export class ServiceProblem extends ClientError {
  readonly kind = 'problem';
  readonly answer: ProblemAnswer;

  constructor(answer: ProblemAnswer, context: CallContext) {
    const detail = answer.detail === undefined ? '' : ` (${answer.detail})`;
    const title = answer.title.replace(/\.$/, '');
    const hint = HINTS[answer.code];
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

/** No answer came: no connection, or one that broke. `sent` is false when the request never left. */
export class NetworkFailure extends ClientError {
  readonly kind = 'network';
  readonly sent: boolean;

  constructor(context: CallContext, options: { sent: boolean; cause: unknown }) {
    const reason = options.cause instanceof Error ? describe(options.cause) : String(options.cause);
    super('network_failure', `the service could not be reached (${reason})`, context, {
      cause: options.cause,
      hint: 'Check the base URL, the network and the proxy settings (HTTPS_PROXY, NO_PROXY).',
    });
    this.sent = options.sent;
  }
}

/** The service took longer than one try may take. */
export class TimeoutFailure extends ClientError {
  readonly kind = 'timeout';

  constructor(context: CallContext, milliseconds: number) {
    super('timeout', `no complete answer within ${milliseconds / 1000} s`, context);
  }
}

/** An answer came that is not what the interface promises. `garbled` when it is not even JSON. */
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
      hint: 'Check that the base URL is the API of a run service and ends with its version, such as /api/v1.',
    });
    this.garbled = options.garbled;
    this.status = options.status;
  }
}

const HINTS: Partial<Record<string, string>> = {
  authentication_required: 'Check the API key (RUNLINK_API_KEY, or the input api-key).',
  not_authorized: 'Use a key whose owner may do this.',
} satisfies Partial<Record<ErrorCode, string>>;

/** The code for a status whose body names none. */
export function codeOfStatus(status: number): ErrorCode {
  const codes = Object.entries(ERROR_CATALOGUE) as [ErrorCode, { status: number }][];
  const exact = PREFERRED[status] ?? codes.find(([, entry]) => entry.status === status)?.[0];
  return exact ?? (status >= 500 ? 'internal_error' : 'invalid_request');
}

/** Where several codes share a status, the one that says least. */
const PREFERRED: Partial<Record<number, ErrorCode>> = {
  403: 'not_authorized',
  500: 'internal_error',
};

function describe(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return describe(error.errors[0]);
  return error.message || error.name;
}

/** Everything the client throws, told apart by `kind`. */
export type ClientFailure = ServiceProblem | NetworkFailure | TimeoutFailure | UnreadableAnswer;

export function isClientError(thrown: unknown): thrown is ClientFailure {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown;
}

/** An answer with an error, of this code where one is given. */
export function isProblem(thrown: unknown, code?: ErrorCode): thrown is ServiceProblem {
  if (!isClientError(thrown) || thrown.kind !== 'problem') return false;
  return code === undefined || thrown.code === code;
}

/** True where the service may or may not have done what was asked. */
export function isAmbiguous(failure: ClientFailure): boolean {
  if (failure.kind === 'network') return failure.sent;
  if (failure.kind === 'problem') return failure.status >= 500 || failure.status === 408;
  return true;
}
