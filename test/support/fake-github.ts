import { createHash } from 'node:crypto';
import { addReaction, idOf, listReactions, removeReaction } from './fake-github-reactions.ts';
import { createReview, listReviews, mutateReview } from './fake-github-reviews.ts';
import type { Comment, FakeGithub, Pull } from './fake-github-shape.ts';
import { startFake, type Answer, type Seen } from './fake-http.ts';

/** As much of GitHub as a run needs, in memory, over real HTTP. */
export async function startFakeGithub(): Promise<FakeGithub> {
  const server = await startFake((seen) => answer(github, seen));
  const github: FakeGithub = Object.assign(server, {
    people: {},
    comments: [],
    replies: [],
    reactions: [],
    checks: [],
    pulls: [],
    jobs: [],
    log: '',
    reviewThreads: [],
    reviews: [],
    lineThreads: [],
    mayNotResolve: false,
    diff: [],
    files: {},
    teams: {},
    answers: new Map(),
    login: 'github-actions[bot]',
    addComment: (issue: number, login: string, body: string): Comment =>
      addComment(github, issue, login, body),
    addPull: (pull: Partial<Pull> & { number: number }): Pull => addPull(github, pull),
  });
  return github;
}

let nextId = 1000;

function addComment(github: FakeGithub, issue: number, login: string, body: string): Comment {
  nextId += 1;
  const comment = {
    id: nextId,
    body,
    html_url: `${github.url}/acme/widgets/issues/${issue}#issuecomment-${nextId}`,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    author_association: 'MEMBER',
    user: { login, type: login.endsWith('[bot]') ? 'Bot' : 'User' },
    issue,
  };
  github.comments.push(comment);
  return comment;
}

const BASE = 'b'.repeat(40);

function addPull(github: FakeGithub, pull: Partial<Pull> & { number: number }): Pull {
  const whole: Pull = {
    title: 'A change',
    body: '',
    state: 'open',
    html_url: `${github.url}/acme/widgets/pull/${pull.number}`,
    created_at: new Date().toISOString(),
    user: { login: github.login },
    head: { ref: 'topic', sha: 'a'.repeat(40), repo: { full_name: 'acme/widgets' } },
    ...pull,
    base: { ref: 'main', repo: { full_name: 'acme/widgets' }, sha: BASE, ...pull.base },
  };
  github.pulls.push(whole);
  return whole;
}

const notFound: Answer = { status: 404, json: { message: 'Not Found' } };

type Handler = (github: FakeGithub, seen: Seen, ids: string[]) => Answer;

const ROUTES: [RegExp, Handler][] = [
  [/^GET \/repos\/[^/]+\/[^/]+\/collaborators\/([^/]+)\/permission$/, permission],
  [/^GET \/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/, listComments],
  [/^POST \/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/, createComment],
  [/^PATCH \/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)$/, updateComment],
  [/^DELETE \/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)$/, deleteComment],
  [/^POST \/repos\/[^/]+\/[^/]+\/(issues|pulls)\/(?:comments\/)?(\d+)\/reactions$/, addReaction],
  [/^GET \/repos\/[^/]+\/[^/]+\/(issues|pulls)\/(?:comments\/)?(\d+)\/reactions$/, listReactions],
  [
    /^DELETE \/repos\/[^/]+\/[^/]+\/(?:issues|pulls)\/(?:comments\/)?\d+\/reactions\/(\d+)$/,
    removeReaction,
  ],
  [/^GET \/repos\/[^/]+\/[^/]+\/pulls\/\d+\/comments$/, listReplies],
  [/^POST \/repos\/[^/]+\/[^/]+\/pulls\/\d+\/comments\/(\d+)\/replies$/, addReply],
  [/^PATCH \/repos\/[^/]+\/[^/]+\/pulls\/comments\/(\d+)$/, updateReply],
  [/^GET \/repos\/[^/]+\/[^/]+\/pulls\/(\d+)$/, getPull],
  [/^GET \/repos\/[^/]+\/[^/]+\/pulls$/, (github) => ({ status: 200, json: github.pulls })],
  [/^POST \/repos\/[^/]+\/[^/]+\/pulls$/, createPull],
  [/^POST \/repos\/[^/]+\/[^/]+\/check-runs$/, createCheck],
  [/^PATCH \/repos\/[^/]+\/[^/]+\/check-runs\/(\d+)$/, updateCheck],
  [/^GET \/repos\/[^/]+\/[^/]+\/commits\/([^/]+)\/check-runs$/, listChecks],
  [/^GET \/repos\/[^/]+\/[^/]+\/actions\/runs\/\d+\/jobs$/, listJobs],
  [
    /^GET \/repos\/[^/]+\/[^/]+\/actions\/jobs\/\d+\/logs$/,
    (github) => ({ status: 302, headers: { location: `${github.url}/log-store` } }),
  ],
  [
    /^GET \/log-store$/,
    (github) => ({ status: 200, text: github.log, headers: { 'content-type': 'text/plain' } }),
  ],
  [/^GET \/repos\/[^/]+\/[^/]+\/pulls\/(\d+)\/reviews$/, listReviews],
  [/^POST \/repos\/[^/]+\/[^/]+\/pulls\/(\d+)\/reviews$/, createReview],
  [
    /^GET \/repos\/[^/]+\/[^/]+\/pulls\/\d+\/files$/,
    (github) => ({ status: 200, json: github.diff }),
  ],
  [
    /^GET \/repos\/[^/]+\/[^/]+\/compare\/.+$/,
    (github) => ({ status: 200, json: { files: github.diff } }),
  ],
  [/^POST \/(?:api\/)?graphql$/, graphql],
  [/^GET \/app\/hook\/deliveries$/, () => ({ status: 200, json: [] })],
  [/^GET \/app$/, (github) => ({ status: 200, json: { id: 77, slug: slugOf(github) } })],
  [/^GET \/repos\/([^/]+\/[^/]+)\/contents\/(.+)$/, getFile],
  [/^GET \/orgs\/([^/]+)\/teams\/([^/]+)\/memberships\/([^/]+)$/, membership],
  [
    /^GET \/repos\/[^/]+\/[^/]+\/commits\/([^/]+)$/,
    (_github, _seen, [ref]) => ({
      status: 200,
      json: { sha: `head-of-${ref}`, commit: { message: 'Work' } },
    }),
  ],
  [/^GET \/repos\/[^/]+\/[^/]+$/, () => ({ status: 200, json: { default_branch: 'main' } })],
];

function answer(github: FakeGithub, seen: Seen): Answer {
  const given = github.answers.get(seen.path);
  if (given) return given;
  const route = `${seen.method} ${seen.path.replace(/^\/api\/v3/, '')}`;
  for (const [pattern, handle] of ROUTES) {
    const match = pattern.exec(route);
    if (match) return handle(github, seen, match.slice(1));
  }
  return notFound;
}

function permission(github: FakeGithub, _: Seen, [login = '']: string[]): Answer {
  const person = github.people[decodeURIComponent(login)];
  return person ? { status: 200, json: person } : notFound;
}

function listComments(github: FakeGithub, seen: Seen, [issue]: string[]): Answer {
  const since = seen.query.get('since') ?? '';
  const all = github.comments.filter(
    (comment) => comment.issue === Number(issue) && comment.updated_at >= since,
  );
  const size = Number(seen.query.get('per_page') ?? 30);
  const page = Number(seen.query.get('page') ?? 1);
  const pages = Math.max(1, Math.ceil(all.length / size));
  const link = `<${github.url}${seen.path}?per_page=${size}&page=${pages}>; rel="last"`;
  const headers = pages > page ? { link } : {};
  return { status: 200, json: all.slice((page - 1) * size, page * size), headers };
}

function createComment(github: FakeGithub, seen: Seen, [issue]: string[]): Answer {
  const { body } = seen.body as { body: string };
  if (body.length > 65_536) return { status: 422, json: { message: 'Body is too long' } };
  return { status: 201, json: addComment(github, Number(issue), github.login, body) };
}

function updateComment(github: FakeGithub, seen: Seen, [id]: string[]): Answer {
  const comment = github.comments.find((one) => one.id === Number(id));
  if (!comment) return notFound;
  comment.body = (seen.body as { body: string }).body;
  comment.updated_at = new Date().toISOString();
  return { status: 200, json: comment };
}

function deleteComment(github: FakeGithub, _: Seen, [id]: string[]): Answer {
  const at = github.comments.findIndex((one) => one.id === Number(id));
  if (at === -1) return notFound;
  github.comments.splice(at, 1);
  return { status: 204 };
}

function addReply(github: FakeGithub, seen: Seen, [to]: string[]): Answer {
  const { body } = seen.body as { body: string };
  const reply = { to: Number(to), body };
  github.replies.push(reply);
  return {
    status: 201,
    json: { id: idOf(reply), html_url: `${github.url}/reply/${to}`, body },
  };
}

function listReplies(github: FakeGithub, seen: Seen): Answer {
  const json = github.replies.map((reply) => ({
    id: idOf(reply),
    body: reply.body,
    html_url: `${github.url}/reply/${reply.to}`,
    user: { login: github.login },
    created_at: new Date().toISOString(),
  }));
  return { status: 200, json: Number(seen.query.get('page') ?? 1) > 1 ? [] : json };
}

function updateReply(github: FakeGithub, seen: Seen, [id]: string[]): Answer {
  const reply = github.replies.find((one) => idOf(one) === Number(id));
  if (!reply) return notFound;
  reply.body = (seen.body as { body: string }).body;
  return { status: 200, json: { id: Number(id), body: reply.body } };
}

function slugOf(github: FakeGithub): string {
  return github.login.replace('[bot]', '');
}

function getFile(github: FakeGithub, seen: Seen, [repository = '', path = '']: string[]): Answer {
  const ref = seen.query.get('ref');
  const name = `${repository}/${decodeURIComponent(path)}`;
  const text = github.files[ref === null ? name : `${name}@${ref}`];
  if (text === undefined) return notFound;
  const etag = `"${createHash('sha1').update(text).digest('hex')}"`;
  if (seen.headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  const content = Buffer.from(text).toString('base64');
  return { status: 200, json: { encoding: 'base64', content }, headers: { etag } };
}

function membership(github: FakeGithub, _: Seen, [org, team, login = '']: string[]): Answer {
  const isMember = github.teams[`${org}/${team}`]?.includes(decodeURIComponent(login));
  return isMember ? { status: 200, json: { state: 'active', role: 'member' } } : notFound;
}

function getPull(github: FakeGithub, _: Seen, [number]: string[]): Answer {
  const pull = github.pulls.find((one) => one.number === Number(number));
  return pull ? { status: 200, json: pull } : notFound;
}

function createPull(github: FakeGithub, seen: Seen): Answer {
  const body = seen.body as { title: string; body: string; head: string; base: string };
  if (github.pulls.some((pull) => pull.state === 'open' && pull.head.ref === body.head)) {
    return { status: 422, json: { message: 'A pull request already exists' } };
  }
  const head = { ref: body.head, sha: 'b'.repeat(40), repo: { full_name: 'acme/widgets' } };
  const pull = addPull(github, {
    number: 100 + github.pulls.length,
    ...body,
    head,
    base: { ref: body.base, repo: { full_name: 'acme/widgets' } },
  });
  return { status: 201, json: pull };
}

function createCheck(github: FakeGithub, seen: Seen): Answer {
  nextId += 1;
  const check = {
    id: nextId,
    html_url: `${github.url}/checks/${nextId}`,
    ...(seen.body as object),
  };
  github.checks.push(check);
  return { status: 201, json: check };
}

function updateCheck(github: FakeGithub, seen: Seen, [id]: string[]): Answer {
  const check = github.checks.find((one) => one['id'] === Number(id));
  if (!check) return notFound;
  Object.assign(check, seen.body);
  return { status: 200, json: check };
}

function listChecks(github: FakeGithub, _: Seen, [ref]: string[]): Answer {
  const checks = github.checks.filter((check) => check['head_sha'] === ref);
  return { status: 200, json: { total_count: checks.length, check_runs: checks } };
}

function listJobs(github: FakeGithub): Answer {
  return { status: 200, json: { total_count: github.jobs.length, jobs: github.jobs } };
}

function graphql(github: FakeGithub, seen: Seen): Answer {
  const { query } = seen.body as { query: string };
  if (query.includes('viewer')) {
    return { status: 200, json: { data: { viewer: { login: github.login } } } };
  }
  const mutated = mutateReview(github, seen);
  if (mutated) return mutated;
  const { number } = (seen.body as { variables: { number: number } }).variables;
  const onLines = github.lineThreads.filter(({ pull }) => pull === number);
  const reviewThreads = { nodes: [...github.reviewThreads, ...onLines] };
  return { status: 200, json: { data: { repository: { pullRequest: { reviewThreads } } } } };
}
