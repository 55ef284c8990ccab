import { faultOfLine } from '../../src/demo/review-lines.ts';
import type { FakeGithub, FakeReview } from './fake-github-shape.ts';
import type { Answer, Seen } from './fake-http.ts';

let last = 0;
const NOT_FOUND: Answer = { status: 404, json: { message: 'Not Found' } };

export function listReviews(github: FakeGithub, _: Seen, [number]: string[]): Answer {
  return { status: 200, json: github.reviews.filter(({ pull }) => pull === Number(number)) };
}

/** As GitHub does: one line off the diff, and the whole review is refused. */
export function createReview(github: FakeGithub, seen: Seen, [number]: string[]): Answer {
  const body = seen.body as {
    body: string;
    event: string;
    commit_id: string;
    comments?: { path: string; line: number; side: string; start_line?: number; body: string }[];
  };
  const pull = github.pulls.find((one) => one.number === Number(number));
  if (!pull) return NOT_FOUND;
  const refused = (message: string): Answer => ({
    status: 422,
    json: { message: 'Unprocessable Entity', errors: [message] },
  });
  if (pull.user?.login === github.login && body.event !== 'COMMENT')
    return refused('Can not approve your own pull request');
  const patches = new Map(github.diff.map(({ filename, patch }) => [filename, patch]));
  const fault = (body.comments ?? []).map((one) => faultOfLine(patches, one)).find(Boolean);
  if (fault !== undefined) return refused(fault);
  if (body.body.length > 65_536) return refused('Body is too long');
  last += 1;
  const review: FakeReview = {
    id: last,
    node_id: `PRR_${last}`,
    pull: pull.number,
    body: body.body,
    event: body.event,
    commit_id: body.commit_id,
    html_url: `${pull.html_url}#pullrequestreview-${last}`,
    user: { login: github.login },
  };
  github.reviews.push(review);
  for (const { body: text, ...place } of body.comments ?? []) {
    last += 1;
    const author = { kind: 'Bot', login: github.login.replace('[bot]', '') };
    const comment = { id: `PRRC_${last}`, url: `${pull.html_url}#r${last}`, body: text, author };
    github.lineThreads.push({
      ...place,
      id: `PRRT_${last}`,
      review: review.id,
      pull: pull.number,
      isResolved: false,
      isOutdated: false,
      comments: { nodes: [comment] },
    });
  }
  return { status: 200, json: review };
}

/** The mutations that reviews are settled by; undefined for anything else. */
export function mutateReview(github: FakeGithub, seen: Seen): Answer | undefined {
  const { query, variables } = seen.body as { query: string; variables: Record<string, string> };
  const { id, body = '', why = '' } = variables ?? {};
  const done: Answer = { status: 200, json: { data: {} } };
  const comment = github.lineThreads
    .flatMap((thread) => thread.comments.nodes)
    .find((one) => one.id === id);
  if (query.includes('resolveReviewThread')) return resolve(github, id);
  if (query.includes('minimizeComment')) {
    const shown = comment ?? github.reviews.find((one) => one.node_id === id);
    if (shown) shown.minimized = why;
    return done;
  }
  if (!query.includes('updatePullRequestReviewComment')) return undefined;
  if (comment) comment.body = body;
  return done;
}

function resolve(github: FakeGithub, id: string | undefined): Answer {
  const thread = github.lineThreads.find((one) => one.id === id);
  if (!thread || github.mayNotResolve)
    return { status: 200, json: { data: null, errors: [{ type: 'FORBIDDEN' }] } };
  thread.isResolved = true;
  return { status: 200, json: { data: {} } };
}
