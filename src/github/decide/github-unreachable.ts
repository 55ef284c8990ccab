import type { Reason } from './reason.ts';

/** Thrown where an answer of GitHub is needed and none came. */
export class GithubUnreachable extends Error {
  /** What is not known for want of it. */
  readonly reason: Reason;

  constructor(detail: string, cause?: unknown, reason: Reason = 'github_unreachable') {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'GithubUnreachable';
    this.reason = reason;
  }
}
