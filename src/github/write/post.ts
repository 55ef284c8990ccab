import type { CheckContent } from '../render/check.ts';
import type { ReviewContent } from '../render/review.ts';
import type { Reaction } from '../render/state.ts';

/** What GitHub should show. `key` identifies the post for good: there is at most one per key. */
export type Post = {
  key: string;
  /** `owner/name`. */
  repository: string;
  /** Number of the issue or pull request; 0 for a check. */
  number: number;
} & (
  | {
      kind: 'comment';
      /**
       * `marker` identifies the comment; `replyTo` is the review comment in whose thread it
       * belongs.
       */
      target: { marker: string; replyTo: string | null };
      content: { body: string };
    }
  | { kind: 'check'; target: { headSha: string; externalId: string }; content: CheckContent }
  | {
      kind: 'reaction';
      /** GitHub has no reactions for the text of a review. */
      target: { subject: 'issue_comment' | 'review_comment' | 'issue'; id: string };
      /** `besides` leaves the earlier reaction in place, which costs one write less. */
      content: { content: Reaction; besides?: true };
    }
  /** `headSha` is the commit that the review's run worked on. */
  | { kind: 'review'; target: { marker: string; headSha: string }; content: ReviewContent }
);
export type PostOf<Kind extends Post['kind']> = Extract<Post, { kind: Kind }>;

/** What is known about a post on GitHub. */
export interface Standing {
  /** GitHub's id, once the post was written. */
  remoteId: string | undefined;
  /**
   * The post may exist although its id is unknown, so it is looked for first, back to this time.
   */
  mayExist: boolean | Date;
}

/** Our account on GitHub: a marker alone proves nothing (threats.md G8). */
export interface Ourselves {
  login: () => Promise<string>;
  appId?: number | undefined;
}

/** The post as GitHub has it now. */
export interface Written {
  id: string;
  url: string;
  /** Its author, if GitHub says. */
  login?: string | undefined;
}

/** Replaces these secrets in the post, in the form that JSON gives them (threats.md G9). */
export function maskPost<P extends Post>(post: P, secrets: readonly string[]): P {
  const text = secrets
    .filter((secret) => secret.trim() !== '')
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), JSON.stringify(post.content));
  return { ...post, content: JSON.parse(text) };
}
