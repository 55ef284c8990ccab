/**
 * One shape for every GitHub event that may start or steer a run (house.md, "The two ways
 * through").
 */
export interface GithubEvent {
  /** The webhook's name, such as `issue_comment`. */
  name: string;
  /** The payload's `action`, such as `created`; not all events have one. */
  action: string | undefined;
  repository: Repository;
  /** Who caused the event; undefined for schedules and the like. */
  actor: Actor | undefined;
  /** The issue or pull request the event is about. */
  thread: Thread | undefined;
  /** The issue was moved here from another repository, where somebody wrote it. */
  isMoved: boolean;
  /** The comment or review that was written. */
  comment: Comment | undefined;
  /** The text before the edit, if the event is an edit. */
  before?: string | undefined;
  /**
   * The review whose inline commands are handled together: its id, and the code that each is about.
   */
  review?: { id: string; places: CodePlace[]; comments: readonly Comment[] } | undefined;
  /** The pull request's head, if the payload has it; that of a comment does not. */
  head: Head | undefined;
  /** Name of the label that was added or removed, and of the person who was (un)assigned. */
  label: string | undefined;
  assignee: string | undefined;
  /** Branch or tag and commit, for events without a pull request. */
  ref: string | undefined;
  sha: string | undefined;
  /** A finished workflow run or check suite. */
  checks: Checks | undefined;
  /** Installation that the App received the event for. */
  installationId: number | undefined;
  /** The newest commit that was pushed or checked was made by a run. */
  isRunsWork?: boolean;
  /** The user's own payload: inputs of a dispatch. */
  inputs: Record<string, unknown> | undefined;
}

export interface Repository {
  /** Stays the same when the repository is renamed or transferred. */
  id?: string | undefined;
  /** The repository is a fork, whose workflows get none of the original's secrets. */
  isFork?: boolean | undefined;
  owner: string;
  name: string;
  url: string;
  defaultBranch: string | undefined;
}

export interface Actor {
  login: string;
  type: 'User' | 'Bot' | 'Organization' | 'Mannequin';
}

/**
 * Name of the asker for texts. Some bots (Copilot) have no brackets in their login, and must not be
 * mentioned by it.
 */
export function askerName({ actor }: Pick<GithubEvent, 'actor'>): string | undefined {
  const isBare = actor?.type === 'Bot' && !actor.login.endsWith('[bot]');
  return isBare ? `${actor.login}[bot]` : actor?.login;
}

export interface Thread {
  kind: 'issue' | 'pull_request';
  number: number;
  nodeId: string;
  url: string;
  title: string;
  body: string;
  author: string;
  /** How many comments the payload says there are; unknown for pull request events. */
  comments: number | undefined;
  /** Branch that a pull request goes into. */
  base: string | undefined;
  /** When it last changed; tells one labelling from the next. */
  updatedAt: string;
}

export interface Comment {
  kind: 'comment' | 'review_comment' | 'review';
  id: string;
  nodeId: string;
  url: string;
  author: string;
  body: string;
  createdAt: string;
  /** The lines of code that a review comment is about. */
  place: CodePlace | undefined;
  /** The comment that opened the review thread, for answers in that thread. */
  replyTo: string | undefined;
  /** The review that a review comment belongs to. */
  reviewId?: string | undefined;
  /** `changes_requested` and the like; only for reviews. */
  reviewState: string | undefined;
}

export interface CodePlace {
  /** Which part of a review's work is about it, from 1. */
  part?: number;
  path: string;
  line: number | undefined;
  hunk: string;
}

export interface Head {
  sha: string;
  ref: string;
  /** `owner/name`; empty if the fork was deleted. */
  repository: string;
  fork: boolean;
}

export interface Checks {
  kind: 'workflow_run' | 'check_suite' | 'check_run';
  id: string;
  name: string;
  /** Slug of the App that made the check. */
  app: string | undefined;
  conclusion: string | undefined;
  url: string;
  sha: string;
  branch: string | undefined;
  /** For a workflow run, the event that started it, and the repository of its commit. */
  cause?: string | undefined;
  headRepository?: string | undefined;
  /** Attempt of a workflow run; 1 for anything else. */
  attempt: number;
  /** Open pull requests of this commit in this repository; empty for forks. */
  pullRequests: number[];
}

/** `owner/name`, as in metadata and markers. */
export function repositoryName(repository: Pick<Repository, 'owner' | 'name'>): string {
  return `${repository.owner}/${repository.name}`;
}

/** `owner/name#12`, which identifies a thread. */
export function threadName(repository: Repository, thread: Pick<Thread, 'number'>): string {
  return `${repositoryName(repository)}#${thread.number}`;
}

/** Whether two logins or labels are the same: in any case, and with or without a leading `@`. */
export function sameName(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.replace(/^@/, '').toLowerCase() === other.replace(/^@/, '').toLowerCase();
}
