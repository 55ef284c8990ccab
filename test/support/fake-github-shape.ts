import type { Answer, FakeServer } from './fake-http.ts';

export interface FakeReview {
  id: number;
  node_id: string;
  pull: number;
  body: string;
  event: string;
  commit_id: string;
  html_url: string;
  user: { login: string };
  minimized?: string;
}

/** A thread of a review, as GraphQL shows it, with what became of it. */
export interface FakeThread {
  id: string;
  review: number;
  pull: number;
  isResolved: boolean;
  isOutdated: boolean;
  path: string;
  line: number;
  side: string;
  start_line?: number;
  comments: {
    nodes: {
      id: string;
      url: string;
      body: string;
      author: { kind: string; login: string };
      minimized?: string;
    }[];
  };
}

export interface Comment {
  id: number;
  body: string;
  html_url: string;
  created_at: string;
  updated_at: string;
  author_association: string;
  user: { login: string; type: string };
  issue: number;
}

export interface Reaction {
  on: string;
  content: string;
}

interface Reply {
  to: number;
  body: string;
}

export interface Pull {
  number: number;
  title: string;
  body: string;
  state: string;
  html_url: string;
  created_at: string;
  user: { login: string } | null;
  head: { ref: string; sha: string; repo: { full_name: string } | null };
  base: { ref: string; sha?: string; repo: { full_name: string } };
}

export interface FakeGithub extends FakeServer {
  /** Permission and role by login; anybody else is unknown (404). */
  people: Record<string, { permission: string; role_name: string }>;
  comments: Comment[];
  replies: Reply[];
  /** Those that stand now. */
  reactions: Reaction[];
  checks: Record<string, unknown>[];
  pulls: Pull[];
  /** Jobs of workflow runs, and their logs. */
  jobs: Record<string, unknown>[];
  log: string;
  reviewThreads: unknown[];
  /** Reviews that were posted, and their comments on lines. */
  reviews: FakeReview[];
  lineThreads: FakeThread[];
  /** The token may resolve no threads. */
  mayNotResolve: boolean;
  /** The diff of every pull request, and of every comparison. */
  diff: { filename: string; previous_filename?: string; patch: string }[];
  /** Files by `owner/name/path` of default branches, by `owner/name/path@ref` of others. */
  files: Record<string, string>;
  /** Members by `organisation/team`. */
  teams: Record<string, string[]>;
  /** What is answered to any request of a path, whatever else is known. */
  answers: Map<string, Answer>;
  /** Who the token writes as. */
  login: string;
  addComment(issue: number, login: string, body: string): Comment;
  addPull(pull: Partial<Pull> & { number: number }): Pull;
}
