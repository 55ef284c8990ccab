import type { CheckContent } from '../render/check.ts';
import type { ReviewContent } from '../render/review.ts';
import type { Reaction } from '../render/state.ts';

/** What should stand on GitHub. `key` names it for ever: what has a key exists there at most once. */
export type Post = {
  key: string;
  /** `owner/name`. */
  repository: string;
  /** Issue or pull request; 0 for a check. */
  number: number;
} & (
  | {
      kind: 'comment';
      /** `marker` finds it again; `replyTo` is the review comment whose thread it belongs to. */
      target: { marker: string; replyTo: string | null };
      content: { body: string };
    }
  | { kind: 'check'; target: { headSha: string; externalId: string }; content: CheckContent }
  | {
      kind: 'reaction';
      /** GitHub has none for the text of a review. */
      target: { subject: 'issue_comment' | 'review_comment' | 'issue'; id: string };
      content: { content: Reaction };
    }
  /** `headSha` is the commit that its run saw. */
  | { kind: 'review'; target: { marker: string; headSha: string }; content: ReviewContent }
);
export type PostOf<Kind extends Post['kind']> = Extract<Post, { kind: Kind }>;

/** What is known of a post on GitHub. */
export interface Standing {
  /** GitHub's id, once it was written. */
  remoteId: string | undefined;
  /** It may be there although no id is known: it is looked for before it is made, back to this time. */
  mayExist: boolean | Date;
}

/** Who we are on GitHub: a marker alone proves nothing (threats.md G8). */
export interface Ourselves {
  login: () => Promise<string>;
  appId?: number | undefined;
}

/** What stands on GitHub now. */
export interface Written {
  id: string;
  url: string;
  /** Who it was written by, where GitHub says so. */
  login?: string | undefined;
}

/** The post without any of these secrets (threats.md G9), as JSON writes them. */
export function maskPost<P extends Post>(post: P, secrets: readonly string[]): P {
  const text = secrets
    .filter((secret) => secret.trim() !== '')
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), JSON.stringify(post.content));
  return { ...post, content: JSON.parse(text) };
}
