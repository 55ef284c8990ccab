import { z } from 'zod';

/**
 * The public error codes (interface.md 7.2): the HTTP status of each, whether the same request may
 * succeed later, and the state of a run that ends with it. FAILED is the task's or the user's
 * fault, ERROR the platform's (run-lifecycle.md, "States and transitions").
 */
export const ERROR_CATALOGUE = {
  invalid_request: entry(400, 'The request is not valid.'),
  integration_not_configured: entry(400, 'The integration is not configured.'),
  authentication_required: entry(401, 'A valid API key is required.', { runState: 'ERROR' }),
  external_authentication_required: entry(401, 'An external account must be linked first.'),
  not_authorized: entry(403, 'This key may not do that.'),
  feature_not_available: entry(403, 'This feature is switched off here.'),
  insufficient_credits: entry(403, 'There are no credits left.'),
  budget_exceeded: entry(403, 'The spending limit is reached.'),
  integration_disabled: entry(403, 'The integration is disabled.'),
  content_policy_violation: entry(403, 'The request was refused.'),
  resource_not_found: entry(404, 'There is nothing here, or nothing this key may see.'),
  method_not_allowed: entry(405, 'This method is not supported here.'),
  conflict: entry(409, 'The request conflicts with the current state.', { retryable: true }),
  payload_too_large: entry(413, 'The request body is too large.'),
  unsupported_media_type: entry(415, 'The request body must be JSON.'),
  operation_not_supported: entry(422, 'This operation is not supported for this resource.'),
  resource_unavailable: entry(429, 'There is no capacity right now.', {
    retryable: true,
    runState: 'ERROR',
  }),
  environment_setup_failed: entry(500, 'The environment could not be set up.'),
  infrastructure_timeout: entry(500, 'The run exceeded its time limit.', { runState: 'ERROR' }),
  agent_process_failed: entry(500, 'The agent process failed.', { runState: 'ERROR' }),
  agent_stream_network_error: entry(500, 'The connection to the model broke.', {
    retryable: true,
    runState: 'ERROR',
  }),
  agent_stream_failure: entry(500, 'The model reported a failure.', {
    retryable: true,
    runState: 'ERROR',
  }),
  internal_error: entry(500, 'Something went wrong on our side.', {
    retryable: true,
    runState: 'ERROR',
  }),
  service_unavailable: entry(503, 'The service is temporarily unavailable.', {
    retryable: true,
    runState: 'ERROR',
  }),
};

interface Ends {
  retryable?: boolean;
  runState?: 'FAILED' | 'ERROR';
}

function entry<const S extends number>(status: S, title: string, ends: Ends = {}) {
  const { retryable = false, runState = 'FAILED' } = ends;
  return { status, title, retryable, runState };
}

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
export const errorCodes = Object.keys(ERROR_CATALOGUE) as [ErrorCode, ...ErrorCode[]];

/** Where each code is explained; the last path segment is the code (interface.md 7.1). */
export const PROBLEM_TYPE_BASE =
  'https://docs.warp.dev/reference/api-and-sdk/troubleshooting/errors/';

/** An `application/problem+json` body (RFC 9457) with the public members and our `error_code`. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  error: z.string(),
  error_code: z.enum(errorCodes),
  detail: z.string().optional(),
  instance: z.string().optional(),
  retryable: z.boolean().optional(),
  trace_id: z.string().optional(),
  /** The input field at fault, as a path such as `config.environment_id`. */
  field: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;

/** What went wrong this time, in addition to the catalogue's text. */
export interface ProblemDetails {
  title?: string;
  detail?: string;
  field?: string;
  retryAfterSeconds?: number;
  allow?: readonly string[];
  cause?: unknown;
}

/** Thrown anywhere while a request is handled; becomes the problem document of the answer. */
export class ProblemError extends Error {
  readonly code: ErrorCode;
  readonly details: ProblemDetails;

  constructor(code: ErrorCode, details: ProblemDetails = {}) {
    super(details.detail ?? details.title ?? ERROR_CATALOGUE[code].title, { cause: details.cause });
    this.name = 'ProblemError';
    this.code = code;
    this.details = details;
  }
}

/** The error for an invalid field of a request. */
export function invalidField(field: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', { field, detail: `${field}: ${detail}` });
}

/**
 * Whether the same request may succeed later; after a conflict only if the answer says when to come
 * back.
 */
export function isRetryable({ code, details }: ProblemError): boolean {
  return code === 'conflict'
    ? details.retryAfterSeconds !== undefined
    : ERROR_CATALOGUE[code].retryable;
}

export function toProblem(error: ProblemError, instance: string): Problem {
  const entry = ERROR_CATALOGUE[error.code];
  const title = error.details.title ?? entry.title;
  const { detail, field } = error.details;
  return {
    type: PROBLEM_TYPE_BASE + error.code,
    title,
    status: entry.status,
    error: detail ? `${title} (${detail})` : title,
    error_code: error.code,
    ...(detail === undefined ? {} : { detail }),
    ...(field === undefined ? {} : { field }),
    instance,
    retryable: isRetryable(error),
  };
}
