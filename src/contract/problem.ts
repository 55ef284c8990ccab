import { z } from 'zod';

/**
 * The public error codes (interface.md 7.2) with the HTTP status each is sent with, whether the
 * same request may succeed later, and the state a run ends in when it ends with that code: FAILED
 * is the task's or the user's fault, ERROR the platform's
 * (run-lifecycle.md, "States and transitions").
 */
export const ERROR_CATALOGUE = {
  invalid_request: {
    status: 400,
    retryable: false,
    runState: 'FAILED',
    title: 'The request is not valid.',
  },
  integration_not_configured: {
    status: 400,
    retryable: false,
    runState: 'FAILED',
    title: 'The integration is not configured.',
  },
  authentication_required: {
    status: 401,
    retryable: false,
    runState: 'ERROR',
    title: 'A valid API key is required.',
  },
  external_authentication_required: {
    status: 401,
    retryable: false,
    runState: 'FAILED',
    title: 'An external account must be linked first.',
  },
  not_authorized: {
    status: 403,
    retryable: false,
    runState: 'FAILED',
    title: 'This key may not do that.',
  },
  feature_not_available: {
    status: 403,
    retryable: false,
    runState: 'FAILED',
    title: 'This feature is switched off here.',
  },
  insufficient_credits: {
    status: 403,
    retryable: false,
    runState: 'FAILED',
    title: 'There are no credits left.',
  },
  budget_exceeded: {
    status: 403,
    retryable: false,
    runState: 'FAILED',
    title: 'The spending limit is reached.',
  },
  integration_disabled: {
    status: 403,
    retryable: false,
    runState: 'FAILED',
    title: 'The integration is disabled.',
  },
  content_policy_violation: {
    status: 403,
    retryable: false,
    runState: 'FAILED',
    title: 'The request was refused.',
  },
  resource_not_found: {
    status: 404,
    retryable: false,
    runState: 'FAILED',
    title: 'There is nothing here, or nothing this key may see.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    runState: 'FAILED',
    title: 'This method is not supported here.',
  },
  conflict: {
    status: 409,
    retryable: true,
    runState: 'FAILED',
    title: 'The request conflicts with the current state.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    runState: 'FAILED',
    title: 'The request body is too large.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    runState: 'FAILED',
    title: 'The request body must be JSON.',
  },
  operation_not_supported: {
    status: 422,
    retryable: false,
    runState: 'FAILED',
    title: 'This operation is not supported for this resource.',
  },
  resource_unavailable: {
    status: 429,
    retryable: true,
    runState: 'ERROR',
    title: 'There is no capacity right now.',
  },
  environment_setup_failed: {
    status: 500,
    retryable: false,
    runState: 'FAILED',
    title: 'The environment could not be set up.',
  },
  infrastructure_timeout: {
    status: 500,
    retryable: false,
    runState: 'ERROR',
    title: 'The run exceeded its time limit.',
  },
  agent_process_failed: {
    status: 500,
    retryable: false,
    runState: 'ERROR',
    title: 'The agent process failed.',
  },
  agent_stream_network_error: {
    status: 500,
    retryable: true,
    runState: 'ERROR',
    title: 'The connection to the model broke.',
  },
  agent_stream_failure: {
    status: 500,
    retryable: true,
    runState: 'ERROR',
    title: 'The model reported a failure.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    runState: 'ERROR',
    title: 'Something went wrong on our side.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    runState: 'ERROR',
    title: 'The service is temporarily unavailable.',
  },
} as const;

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

/** What went wrong this time, on top of what the catalogue says of the code. */
export interface ProblemDetails {
  title?: string;
  detail?: string;
  field?: string;
  retryAfterSeconds?: number;
  allow?: readonly string[];
  cause?: unknown;
}

/** Thrown anywhere under a request; becomes the problem document of its answer. */
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

/** A field of a request that cannot be taken as it is. */
export function invalidField(field: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', { field, detail: `${field}: ${detail}` });
}

/** Whether the same request may work later: a conflict only where it is said when to come back. */
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
