import { isClientError } from '../client/error.ts';
import { GithubUnreachable } from '../github/decide/github-unreachable.ts';
import type { Reason } from '../github/decide/reason.ts';
import { readRefusal } from '../github/read/limits.ts';
import { statusOf } from '../github/read/octokit.ts';

/** Which side did not answer as it should, so that the same may succeed later. */
export interface Outage {
  reason: Extract<Reason, 'service_unreachable' | 'github_unreachable'>;
  /** How long that side asks to wait, in milliseconds. */
  waitMs: number | undefined;
}

/** What GitHub said where our App or token lacks a permission; undefined for any other error. */
export function missingPermission(error: unknown): string | undefined {
  const refusal = readRefusal(error instanceof GithubUnreachable ? error.cause : error, 0);
  return refusal.kind === 'denied' ? refusal.detail : undefined;
}

/** The outage behind an error; undefined when trying again would not help. */
export function readOutage(error: unknown, now: number): Outage | undefined {
  if (error instanceof GithubUnreachable) {
    const refusal = readRefusal(error.cause, now);
    if (refusal.kind === 'denied') return undefined;
    const waitMs = refusal.kind === 'limit' ? refusal.waitMs : undefined;
    return { reason: 'github_unreachable', waitMs };
  }
  if (isClientError(error)) {
    const isRefusal = error.kind === 'problem' && !error.retryable && error.status < 500;
    if (isRefusal) return undefined;
    const waitMs = error.kind === 'problem' ? error.retryAfterMs : undefined;
    return { reason: 'service_unreachable', waitMs };
  }
  if (statusOf(error) === undefined) return undefined;
  const refusal = readRefusal(error, now);
  if (refusal.kind === 'limit') return { reason: 'github_unreachable', waitMs: refusal.waitMs };
  return refusal.kind === 'again' ? { reason: 'github_unreachable', waitMs: undefined } : undefined;
}
