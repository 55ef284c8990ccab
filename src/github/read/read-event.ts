import type { Actor, Checks, Comment, GithubEvent, Head, Repository, Thread } from './event.ts';
import { githubPayload, type GithubPayload } from './payload.ts';

export type EventReading =
  { event: GithubEvent } | { ignored: 'unreadable_payload' | 'unsupported_event' };

/** What the surroundings know when a payload does not say it (a schedule's has no repository). */
export interface EventSurroundings {
  repository?: Repository;
  ref?: string;
  sha?: string;
}

/**
 * Reads any event of GitHub into our one shape. Never throws: a payload that is not GitHub's is
 * ignored as `unreadable_payload`, one without a repository as `unsupported_event`.
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
    isMoved: Boolean(data.changes?.old_issue ?? data.changes?.old_repository),
    comment: readComment(data),
    label: data.label?.name,
    assignee: data.assignee?.login,
    checks: readChecks(data),
    installationId: data.installation?.id,
    inputs: data.client_payload ?? data.inputs ?? undefined,
  };
}

function readCommit(
  data: GithubPayload,
  surroundings: EventSurroundings,
): Pick<GithubEvent, 'head' | 'ref' | 'sha'> {
  const head = readHead(data);
  const { merge_group: group } = data;
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
  };
}

function readThread(data: GithubPayload): Thread | undefined {
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
  if (!data.review) return undefined;
  const { review } = data;
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

function readWrittenComment(comment: NonNullable<GithubPayload['comment']>): Comment {
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
    reviewState: undefined,
  };
}

function readHead(data: GithubPayload): Head | undefined {
  const pull = data.pull_request;
  if (!pull) return undefined;
  return toHead(pull.head, pull.base);
}

type Branch = NonNullable<GithubPayload['pull_request']>['head'];

/** A pull request's head; one whose repository is gone or another than the base's is a fork's. */
export function toHead(head: Branch, base: Branch): Head {
  const repository = head.repo?.full_name ?? '';
  const own = repository.toLowerCase() === (base.repo?.full_name ?? '?').toLowerCase();
  return { sha: head.sha, ref: head.ref, repository, fork: !own };
}

function readChecks(data: GithubPayload): Checks | undefined {
  if (data.workflow_run) return readWorkflowRun(data.workflow_run);
  if (data.check_suite) return readCheckSuite(data.check_suite);
  return data.check_run ? readCheckRun(data.check_run) : undefined;
}

type Present<Key extends keyof GithubPayload> = NonNullable<GithubPayload[Key]>;

function readWorkflowRun(run: Present<'workflow_run'>): Checks {
  return {
    kind: 'workflow_run',
    id: run.id,
    name: run.name ?? '',
    app: undefined,
    conclusion: run.conclusion ?? undefined,
    url: run.html_url,
    sha: run.head_sha,
    branch: run.head_branch ?? undefined,
    attempt: run.run_attempt ?? 1,
    pullRequests: run.pull_requests,
  };
}

function readCheckSuite(suite: Present<'check_suite'>): Checks {
  return {
    kind: 'check_suite',
    id: suite.id,
    name: suite.app?.name ?? '',
    app: suite.app?.slug,
    conclusion: suite.conclusion ?? undefined,
    url: '',
    sha: suite.head_sha,
    branch: suite.head_branch ?? undefined,
    attempt: 1,
    pullRequests: suite.pull_requests,
  };
}

function readCheckRun(run: Present<'check_run'>): Checks {
  return {
    kind: 'check_run',
    id: run.id,
    name: run.name,
    app: run.app?.slug,
    conclusion: run.conclusion ?? undefined,
    url: run.html_url ?? '',
    sha: run.head_sha,
    branch: undefined,
    attempt: 1,
    pullRequests: run.pull_requests,
  };
}
