import { inertLine } from '../github/render/inert-line.ts';
import { errorMessage, RunlinkError } from '../base/error.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { REASONS, type Reason } from '../github/decide/reason.ts';
import {
  GithubUnreachable,
  readGithubFailure,
  type GithubRefusal,
} from '../github/read/github-failure.ts';
import { statusOf } from '../github/read/octokit.ts';
import type { Handled } from './face.ts';

const DETAIL_MAX = 1000;
/**
 * An owner must accept new permissions of an App, and tokens made before keep the old ones for up
 * to an hour.
 */
export const GRANT =
  'For the App, an owner must accept the new permissions in the installation’s settings. For the Action, add the permission under `permissions` of the workflow’s job.';

/** The reason code of a failure, for whoever waits. */
export function failureReason(error: unknown): Reason {
  if (missingPermission(error) !== undefined) return 'permission_missing';
  if (error instanceof GithubUnreachable) return error.reason;
  if (isProblem(error, 'resource_not_found')) return 'run_vanished';
  if (isProblem(error) && error.status < 500 && error.status !== 429) return 'service_refused';
  if (isClientError(error)) return 'service_unreachable';
  if (error instanceof RunlinkError && isReason(error.code)) return error.code;
  return githubRefusal(error) ? 'github_unreachable' : 'internal_error';
}

/** Whether a retry would fail in the same way, because the request was refused with a reason. */
export function isFinal(error: unknown): boolean {
  if (missingPermission(error) !== undefined) return true;
  if (isProblem(error)) return readOutage(error, Date.now()) === undefined;
  return error instanceof RunlinkError && isReason(error.code);
}

/** What went wrong and, if known, what to do about it. */
export function failureText(error: unknown): string {
  const denied = missingPermission(error);
  if (denied !== undefined) return `GitHub: ${denied}. ${GRANT}`;
  const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
  const code = isProblem(error) ? `\`${error.code}\`: ` : '';
  return `${code}${errorMessage(error)}${hint}`;
}

/** The answer to a request that failed. */
export function failed(error: unknown): Handled {
  const reason = failureReason(error);
  const detail = failureText(error);
  const quoted = inertLine(detail, DETAIL_MAX);
  const text = `This could not be done: ${REASONS[reason].text}.\n\n> ${quoted}`;
  return { reason, detail, answer: { reaction: 'confused', text } };
}

/** The side that failed to answer; the same request may succeed later. */
export interface Outage {
  reason: Extract<Reason, 'service_unreachable' | 'github_unreachable'>;
  /** How long that side asks us to wait, in milliseconds. */
  waitMs: number | undefined;
}

/**
 * What GitHub said about a permission that our App or token lacks; undefined for any other error.
 */
export function missingPermission(error: unknown): string | undefined {
  const refusal = githubRefusal(error);
  return refusal?.kind === 'denied' ? refusal.detail : undefined;
}

/** That GitHub said no, which trying again for hours does not change. */
export function githubRefusal(error: unknown): GithubRefusal | undefined {
  if (isClientError(error)) return undefined;
  const failure = readGithubFailure(error instanceof GithubUnreachable ? error.cause : error, 0);
  return 'detail' in failure ? failure : undefined;
}

/** The outage behind an error; undefined if a retry would not help. */
export function readOutage(error: unknown, now: number): Outage | undefined {
  if (error instanceof GithubUnreachable) {
    const failure = readGithubFailure(error.cause, now);
    if ('detail' in failure) return undefined;
    const waitMs = failure.kind === 'limit' ? failure.waitMs : undefined;
    return { reason: 'github_unreachable', waitMs };
  }
  if (isClientError(error)) {
    const isRefusal = error.kind === 'problem' && !error.retryable && error.status < 500;
    if (isRefusal) return undefined;
    const waitMs = error.kind === 'problem' ? error.retryAfterMs : undefined;
    return { reason: 'service_unreachable', waitMs };
  }
  if (statusOf(error) === undefined) return undefined;
  const failure = readGithubFailure(error, now);
  if (failure.kind === 'limit') return { reason: 'github_unreachable', waitMs: failure.waitMs };
  return failure.kind === 'again' ? { reason: 'github_unreachable', waitMs: undefined } : undefined;
}

function isReason(code: string): code is Reason {
  return Object.hasOwn(REASONS, code);
}
