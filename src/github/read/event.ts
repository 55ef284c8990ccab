/** One shape for every event of GitHub that may start or steer a run (house.md, "The two ways through"). */
export interface GithubEvent {
  /** The webhook's name, such as `issue_comment`. */
  name: string;
  /** The payload's `action`, such as `created`; absent where the event has none. */
  action: string | undefined;
  repository: Repository;
  /** Who caused the event; absent for schedules and the like. */
  actor: Actor | undefined;
  /** The issue or pull request the event is about. */
  thread: Thread | undefined;
  /** The issue was moved here from another repository: somebody wrote it elsewhere. */
  isMoved: boolean;
  /** The comment or review that was written. */
  comment: Comment | undefined;
  /** What the text said before it was edited, where an edit of it is the event. */
  before?: string | undefined;
  /** The review whose inline commands are asked together: its id, and what each of them is about. */
  review?: { id: string; places: CodePlace[]; comments: readonly Comment[] } | undefined;
  /** The pull request's head as the payload says it; comments on a PR do not carry it. */
  head: Head | undefined;
  /** Name of the label that was added or removed, and of the person who was (un)assigned. */
  label: string | undefined;
  assignee: string | undefined;
  /** Branch or tag and commit, for events without a pull request. */
  ref: string | undefined;
  sha: string | undefined;
  /** A finished workflow run or check suite. */
  checks: Checks | undefined;
  /** Installation the App received the event for. */
  installationId: number | undefined;
  /** The newest commit is a run's: of a push, or of what was checked. */
  isRunsWork?: boolean;
  /** Payload of the user's own making: inputs of a dispatch. */
  inputs: Record<string, unknown> | undefined;
}

export interface Repository {
  /** What it keeps when it is renamed or transferred. */
  id?: number | undefined;
  /** A copy of somebody's, to which GitHub gives none of the original's secrets. */
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

/** Who asked, as people are told: some bots (Copilot) have no brackets in their login, and must not be called by it. */
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
  /** How many comments the payload says there are; unknown for events of pull requests. */
  comments: number | undefined;
  /** Branch a pull request goes into. */
  base: string | undefined;
  /** When it last changed: tells one labelling from the next. */
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
  /** Where in the code, for review comments. */
  place: CodePlace | undefined;
  /** The comment that opened the review thread, to answer in that thread. */
  replyTo: string | undefined;
  /** The review that a review comment came with. */
  reviewId?: string | undefined;
  /** `changes_requested` and the like, for reviews. */
  reviewState: string | undefined;
}

export interface CodePlace {
  path: string;
  line: number | undefined;
  hunk: string;
}

export interface Head {
  sha: string;
  ref: string;
  /** `owner/name`; empty when the fork was deleted. */
  repository: string;
  fork: boolean;
}

export interface Checks {
  kind: 'workflow_run' | 'check_suite' | 'check_run';
  id: string;
  name: string;
  /** Slug of the App that made it. */
  app: string | undefined;
  conclusion: string | undefined;
  url: string;
  sha: string;
  branch: string | undefined;
  /** Of a workflow run: the event that started it, and whose commit it ran on. */
  cause?: string | undefined;
  headRepository?: string | undefined;
  /** Attempt of a workflow run, 1 for anything else. */
  attempt: number;
  /** Open pull requests of this commit in this repository; empty for forks. */
  pullRequests: number[];
}

/** `owner/name`, as metadata and markers carry it. */
export function repositoryName(repository: Pick<Repository, 'owner' | 'name'>): string {
  return `${repository.owner}/${repository.name}`;
}

/** `owner/name#12`: what makes a thread itself. */
export function threadName(repository: Repository, thread: Pick<Thread, 'number'>): string {
  return `${repositoryName(repository)}#${thread.number}`;
}

/** Logins and labels are the same in any case; a leading `@` is how people write logins. */
export function sameName(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.replace(/^@/, '').toLowerCase() === other.replace(/^@/, '').toLowerCase();
}
