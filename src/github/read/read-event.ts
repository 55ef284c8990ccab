import type { Actor, Checks, Comment, GithubEvent, Head, Repository, Thread } from './event.ts';
import { githubPayload, pullRequest, type GithubPayload } from './payload.ts';

export type EventReading =
  | { event: GithubEvent }
  | { ignored: 'unreadable_payload' | 'unsupported_event' };

/** What the environment knows if the payload does not say it (a schedule's has no repository). */
export interface EventSurroundings {
  repository?: Repository;
  ref?: string;
  sha?: string;
}

/**
 * Reads any GitHub event into our one shape. Never throws: a payload that GitHub would not send
 * gives `unreadable_payload`, one without a repository `unsupported_event`.
 */
export function readEvent(
  name: string,
  payload: unknown,
  surroundings: EventSurroundings = {},
): EventReading {
  const parsed = githubPayload.safeParse(payload);
  if (!parsed.success) return { ignored: 'unreadable_payload' };
  const data = parsed.data;
  const repository = readRepository(data) ?? surroundings.repository;
  if (!repository) return { ignored: 'unsupported_event' };
  return { event: { ...readParts(name, data), repository, ...readCommit(data, surroundings) } };
}

function readParts(
  name: string,
  data: GithubPayload,
): Omit<GithubEvent, 'repository' | 'head' | 'ref' | 'sha'> {
  return {
    name: name === 'pull_request_target' ? 'pull_request' : name,
    action: data.action,
    actor: data.sender ? toActor(data.sender) : undefined,
    thread: readThread(data),
    isMoved: wasMoved(data),
    comment: readComment(data),
    before: textBefore(data),
    label: data.label?.name,
    assignee: data.assignee?.login,
    checks: readChecks(data),
    installationId: data.installation?.id,
    inputs: data.client_payload ?? data.inputs ?? undefined,
    isRunsWork: isRunsWork(data),
  };
}

function textBefore({ action, changes }: GithubPayload): string | undefined {
  return action === 'edited' ? changes?.body?.from : undefined;
}

function wasMoved({ changes }: GithubPayload): boolean {
  return Boolean(changes?.old_issue ?? changes?.old_repository);
}

function readCommit(
  data: GithubPayload,
  surroundings: EventSurroundings,
): Pick<GithubEvent, 'head' | 'ref' | 'sha'> {
  const { merge_group: group, pull_request: pull } = data;
  const head = pull && toHead(pull.head, pull.base);
  return {
    head,
    ref: group?.head_ref ?? data.ref ?? surroundings.ref,
    sha: head?.sha ?? group?.head_sha ?? data.after ?? surroundings.sha,
  };
}

function toActor(user: { login: string; type?: string | undefined }): Actor {
  const isBot = user.type === 'Bot' || user.login.endsWith('[bot]');
  const type = isBot ? 'Bot' : user.type;
  return {
    login: user.login,
    type: type === 'Bot' || type === 'Organization' || type === 'Mannequin' ? type : 'User',
  };
}

function readRepository(data: GithubPayload): Repository | undefined {
  const [owner, name] = data.repository?.full_name.split('/') ?? [];
  if (!data.repository || !owner || !name) return undefined;
  return {
    id: data.repository.id,
    owner,
    name,
    url: data.repository.html_url,
    defaultBranch: data.repository.default_branch,
    isFork: data.repository.fork,
  };
}

/** Whether the newest commit is a run's, by the trailer that our worker adds to each. */
function isRunsWork({
  head_commit: pushed,
  workflow_run: run,
  check_suite: suite,
}: GithubPayload): boolean {
  const newest = pushed ?? run?.head_commit ?? suite?.head_commit;
  return isRunsCommit(newest?.message ?? '');
}

/** Whether a commit was made by a run, by its message. */
export function isRunsCommit(message: string): boolean {
  return /^Run: \S+$/m.test(message);
}

/** The thread of a pull request from GitHub's response. */
export function readPullThread(data: unknown): Thread | undefined {
  return readThread({ pull_request: pullRequest.parse(data) });
}

function readThread(data: Pick<GithubPayload, 'issue' | 'pull_request'>): Thread | undefined {
  const source = data.pull_request ?? data.issue;
  if (!source) return undefined;
  const isPullRequest = data.pull_request !== undefined || Boolean(data.issue?.pull_request);
  return {
    kind: isPullRequest ? 'pull_request' : 'issue',
    number: source.number,
    nodeId: source.node_id,
    url: source.html_url,
    title: source.title,
    body: source.body,
    author: source.user.login,
    comments: source.comments,
    base: data.pull_request?.base.ref,
    updatedAt: source.updated_at,
  };
}

function readComment(data: GithubPayload): Comment | undefined {
  if (data.comment) return readWrittenComment(data.comment);
  return data.review && readWrittenReview(data.review);
}

export function readWrittenReview(review: NonNullable<GithubPayload['review']>): Comment {
  return {
    kind: 'review',
    id: review.id,
    nodeId: review.node_id,
    url: review.html_url,
    author: review.user.login,
    body: review.body,
    createdAt: review.submitted_at ?? '',
    place: undefined,
    replyTo: undefined,
    reviewState: review.state?.toLowerCase(),
  };
}

export function readWrittenComment(comment: NonNullable<GithubPayload['comment']>): Comment {
  const place =
    typeof comment.path !== 'string'
      ? undefined
      : {
          path: comment.path,
          line: comment.line ?? comment.original_line ?? undefined,
          hunk: comment.diff_hunk ?? '',
        };
  return {
    kind: place ? 'review_comment' : 'comment',
    id: comment.id,
    nodeId: comment.node_id,
    url: comment.html_url,
    author: comment.user.login,
    body: comment.body,
    createdAt: comment.created_at,
    place,
    replyTo: place ? (comment.in_reply_to_id ?? comment.id) : undefined,
    reviewId: place ? (comment.pull_request_review_id ?? undefined) : undefined,
    reviewState: undefined,
  };
}

type Branch = NonNullable<GithubPayload['pull_request']>['head'];

/**
 * A pull request's head. It is a fork's if its repository is another than the base's, or was
 * deleted.
 */
export function toHead(head: Branch, base: Branch): Head {
  const repository = head.repo?.full_name ?? '';
  const own = repository.toLowerCase() === (base.repo?.full_name ?? '?').toLowerCase();
  return { sha: head.sha, ref: head.ref, repository, fork: !own };
}

function readChecks(data: GithubPayload): Checks | undefined {
  const { workflow_run: run, check_suite: suite, check_run: check, repository } = data;
  if (run) return toChecks('workflow_run', run, repository?.id);
  if (suite) return toChecks('check_suite', suite, repository?.id);
  return check ? toChecks('check_run', check, repository?.id) : undefined;
}

function toChecks(
  kind: Checks['kind'],
  read: NonNullable<GithubPayload['workflow_run']>,
  repositoryId: string | undefined,
): Checks {
  return {
    kind,
    id: read.id,
    name: read.name || (read.app?.name ?? ''),
    app: read.app?.slug,
    conclusion: read.conclusion,
    url: read.html_url,
    sha: read.head_sha,
    branch: read.head_branch,
    cause: read.event,
    headRepository: read.head_repository?.full_name,
    attempt: read.run_attempt,
    // A commit may belong to pull requests in other repositories too.
    pullRequests: read.pull_requests
      .filter(({ base }) => (base?.repo?.id ?? repositoryId) === repositoryId)
      .map(({ number }) => number),
  };
}
