import type { Hono } from 'hono';
import { z } from 'zod';
import {
  invalid,
  bodyFields,
  errorAnswer,
  type StandInApi,
  type ApiContext,
  type ApiEnv,
} from './api-context.ts';
import { loginOf, gitPlaceOf, read } from './context.ts';
import { isFields, asText } from './corrections.ts';
import { gitText } from './git.ts';
import { faultOfLine, type LineComment } from './review-lines.ts';
import { readPushedPull, repositoryParam } from './routes-pulls.ts';

const made = z.looseObject({ id: z.int() });
const comments = z.array(
  z.looseObject({
    id: z.int(),
    node_id: z.string(),
    html_url: z.string(),
    body: z.string(),
    path: z.string(),
    line: z.int().nullish(),
    side: z.string().nullish(),
    commit_id: z.string(),
    in_reply_to_id: z.int().nullish(),
    user: z.looseObject({ login: z.string(), type: z.string() }).nullish(),
  }),
);
type Comment = z.infer<typeof comments>[number];

const asked = z.looseObject({ query: z.string(), variables: z.record(z.string(), z.unknown()) });
const place = z.looseObject({
  owner: z.string(),
  name: z.string(),
  number: z.int(),
  newest: z.int(),
});

/** Reviews: accepted only on lines of the diff; listed, resolved and minimised as on GitHub. */
export function reviewRoutes(app: Hono<ApiEnv>, api: StandInApi): void {
  app.post('/repos/:owner/:repo/pulls/:number{[0-9]+}/reviews', (c) => createReview(api, c));
  app.post('/graphql', (c) => graphql(api, c));
}

/** The hunks of a pull request's diff at a commit, by file. */
async function patchesOf(
  api: StandInApi,
  repository: string,
  base: string,
  commit: string,
): Promise<Map<string, string>> {
  const words = ['diff', '--no-color', `${base}...${commit}`];
  const diff = await gitText(gitPlaceOf(api.context, repository), words).catch(() => '');
  const files = diff.split(/^diff --git .*$/m).flatMap((part): [string, string][] => {
    const name = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1] ?? /^--- a\/(.*)$/m.exec(part)?.[1];
    const at = part.search(/^@@ /m);
    return name === undefined || at === -1 ? [] : [[name, part.slice(at)]];
  });
  return new Map(files);
}

/** If one comment is not on lines of the diff, GitHub refuses the whole review. */
async function createReview(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const number = Number(c.req.param('number'));
  const body = await bodyFields(c);
  const pull = await readPushedPull(api, repository, number);
  const commit = asText(body['commit_id']) || pull.head.sha;
  const wanted = (Array.isArray(body['comments']) ? body['comments'] : []).filter(isFields);
  const author = isFields(pull['user']) ? pull['user']['login'] : '';
  const isVerdict = body['event'] === 'APPROVE' || body['event'] === 'REQUEST_CHANGES';
  const patches = await patchesOf(api, repository, pull.base.sha, commit);
  const fault =
    isVerdict && author === loginOf(c.env.actor)
      ? 'Can not approve or request changes on your own pull request'
      : wanted.map((one) => faultOfLine(patches, one)).find((found) => found !== undefined);
  if (fault !== undefined)
    return invalid({ resource: 'PullRequestReview', code: 'custom', message: fault });
  const placed = wanted.map((one) => ({ ...one, position: 1 }));
  const answer = await api.forward(c, { body: { ...body, commit_id: commit, comments: placed } });
  if (answer.status !== 201) return answer;
  const review: unknown = await answer.json();
  const { id } = made.parse(review);
  const path = `/repos/${repository}/pulls/${number}/reviews/${id}/comments?per_page=100`;
  const stored = comments.parse(await read(api.context, path));
  for (const [at, one] of stored.entries()) {
    const place: LineComment = wanted[at] ?? {};
    api.context.state.reviewLines.set(one.id, place);
  }
  return Response.json(review, { status: 200 });
}

async function threadsOf(
  api: StandInApi,
  { repository, number, newest }: { repository: string; number: number; newest: number },
): Promise<unknown[]> {
  const { resolved, minimized } = api.context.state;
  const path = `/repos/${repository}/pulls/${number}`;
  const all = comments.parse((await read(api.context, `${path}/comments?per_page=100`)) ?? []);
  const pull = await readPushedPull(api, repository, number);
  const patches = await patchesOf(api, repository, pull.base.sha, pull.head.sha);
  const author = ({ user }: Comment): unknown =>
    user && {
      __typename: user.type,
      kind: user.type,
      login: user.login.replace(/\[bot\]$/, ''),
    };
  return all
    .filter((one) => one.in_reply_to_id == null)
    .map((root) => {
      const replies = all.filter((one) => one.in_reply_to_id === root.id);
      const isOutdated = faultOfLine(patches, { ...root }) !== undefined;
      const nodes = [root, ...replies].map((one) => ({
        id: one.node_id,
        url: one.html_url,
        body: one.body,
        isMinimized: minimized.has(one.node_id),
        author: author(one),
      }));
      return {
        id: `PRRT_${root.id}`,
        isResolved: resolved.has(root.id),
        isOutdated,
        path: root.path,
        line: isOutdated ? null : root.line,
        first: { nodes: nodes.slice(0, 1) },
        comments: { totalCount: nodes.length, nodes: nodes.slice(-newest) },
      };
    });
}

/** The part of GraphQL that reviews need: listing, resolving and minimising threads. */
async function graphql(api: StandInApi, c: ApiContext): Promise<Response> {
  const parsed = asked.safeParse(await bodyFields(c));
  if (!parsed.success) return errorAnswer(400, 'Problems parsing JSON');
  const { query, variables } = parsed.data;
  const { state, upstream } = api.context;
  const id = asText(variables['id']);
  if (query.includes('resolveReviewThread')) state.resolved.add(Number(id.replace('PRRT_', '')));
  else if (query.includes('minimizeComment')) state.minimized.set(id, asText(variables['why']));
  else if (query.includes('updatePullRequestReviewComment')) {
    const paths = [...state.refs.keys()].flatMap((repository) =>
      [...state.reviewLines.keys()].map((one) => `/repos/${repository}/pulls/comments/${one}`),
    );
    for (const path of paths) {
      const stored = await read(api.context, path);
      if (!isFields(stored) || stored['node_id'] !== id) continue;
      await upstream.ask('PATCH', path, { body: asText(variables['body']) });
    }
  } else if (query.includes('reviewThreads')) {
    const { owner, name, number, newest } = place.parse(variables);
    const reviewThreads = {
      pageInfo: { hasNextPage: false, endCursor: null },
      nodes: await threadsOf(api, { repository: `${owner}/${name}`, number, newest }),
    };
    return Response.json({ data: { repository: { pullRequest: { reviewThreads } } } });
  } else if (query.includes('viewer')) {
    return Response.json({ data: { viewer: { login: loginOf(c.env.actor) } } });
  } else return Response.json({ errors: [{ message: 'The stand-in does not know this query.' }] });
  return Response.json({ data: {} });
}
