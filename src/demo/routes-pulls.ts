import type { Hono } from 'hono';
import { z } from 'zod';
import type { StandInApi, ApiContext, ApiEnv } from './api-context.ts';
import { invalid, bodyFields, errorAnswer } from './api-context.ts';
import { correct, isFields } from './corrections.ts';
import { read } from './context.ts';
import { refsOf } from './state.ts';

const numbered = z.looseObject({ number: z.int() });
const pull = z.looseObject({
  number: z.int(),
  state: z.string(),
  body: z.string().nullish(),
  base: z.looseObject({ ref: z.string(), sha: z.string() }),
  head: z.looseObject({ ref: z.string(), sha: z.string() }),
});
export type Pull = z.infer<typeof pull>;
const comparison = z.looseObject({
  ahead_by: z.int(),
  commits: z.array(z.looseObject({ sha: z.string() })),
  files: z.array(z.looseObject({ additions: z.int(), deletions: z.int() })),
});

export function repositoryParam(c: ApiContext): string {
  return `${c.req.param('owner')}/${c.req.param('repo')}`;
}

/** A pull request with its latest pushed head. */
export async function readPushedPull(
  api: StandInApi,
  repository: string,
  number: number,
): Promise<Pull> {
  return pull.parse(await read(api.context, `/repos/${repository}/pulls/${number}`));
}

async function compare(api: StandInApi, repository: string, base: string, head: string) {
  const path = `/repos/${repository}/compare/${base}...${head}`;
  return comparison.parse(await read(api.context, path));
}

const comparePull = (api: StandInApi, repository: string, { base, head }: Pull) =>
  compare(api, repository, base.sha, head.sha);

/** The head branch of a new pull request, without the owner. */
function branchName(head: unknown, owner: string | undefined): string {
  const text = typeof head === 'string' ? head.trim() : '';
  return text.startsWith(`${owner}:`) ? text.slice(`${owner}:`.length) : text;
}

async function openPull(api: StandInApi, c: ApiContext): Promise<Response> {
  const { context } = api;
  const repository = repositoryParam(c);
  const body = await bodyFields(c);
  const [owner, branch] = [c.req.param('owner'), branchName(body['head'], c.req.param('owner'))];
  const refs = refsOf(context.state, repository);
  const head = refs.get(`refs/heads/${branch}`);
  const base = refs.get(`refs/heads/${String(body['base'])}`);
  if (!head) return invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (!base) return invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}` });
  const open = await context.upstream.ask('GET', `/repos/${repository}/pulls?${String(query)}`);
  const refusal =
    Array.isArray(open) && open.length > 0
      ? `A pull request already exists for ${owner}:${branch}.`
      : (await compare(api, repository, base, head)).ahead_by === 0
        ? `No commits between ${String(body['base'])} and ${branch}`
        : undefined;
  if (refusal) return invalid({ resource: 'PullRequest', code: 'custom', message: refusal });
  const answer = await api.forward(c, { body: { ...body, head: branch } });
  if (answer.status !== 201) return answer;
  const { number } = numbered.parse(await answer.clone().json());
  context.state.pullHeads.set(`${repository}#${number}`, head);
  return answer;
}

async function showPull(api: StandInApi, c: ApiContext): Promise<Response> {
  const answer = await api.forward(c);
  if (answer.status !== 200) return answer;
  const item = pull.parse(await answer.json());
  const { ahead_by: commits, files } = await comparePull(api, repositoryParam(c), item);
  const sum = (field: 'additions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[field], 0);
  const size = { additions: sum('additions'), deletions: sum('deletions') };
  return Response.json({ ...item, ...size, commits, changed_files: files.length });
}

async function showPart(
  api: StandInApi,
  c: ApiContext,
  part: 'commits' | 'files',
): Promise<Response> {
  const repository = repositoryParam(c);
  const { actor } = c.env;
  const path = `/repos/${repository}/pulls/${c.req.param('number')}`;
  const allowed = await api.context.upstream.send(actor, 'GET', path);
  if (allowed.status !== 200) return errorAnswer(allowed.status, 'Not Found');
  const item = await readPushedPull(api, repository, Number(c.req.param('number')));
  return Response.json((await comparePull(api, repository, item))[part]);
}

async function pullsOfCommit(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const path = `/repos/${repository}/pulls?state=all&per_page=100`;
  const answer = await api.context.upstream.send(c.env.actor, 'GET', path);
  if (answer.status !== 200) return errorAnswer(answer.status, 'Not Found');
  const all = z.array(pull).parse(correct(answer.body, api.context.state));
  const sha = c.req.param('sha');
  const holding = await Promise.all(
    all.map(async (item) =>
      (await comparePull(api, repository, item)).commits.some((one) => one.sha === sha),
    ),
  );
  return Response.json(all.filter((item, index) => item.head.sha === sha || holding[index]));
}

/** A reply to a review comment. emulate knows threads, but not this route. */
async function reply(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const parentPath = `/repos/${repository}/pulls/comments/${c.req.param('id')}`;
  const parent = await read(api.context, parentPath);
  if (!isFields(parent)) return errorAnswer(404, 'Not Found');
  const { path, line, side, commit_id } = parent;
  const { body } = await bodyFields(c);
  return api.forward(c, {
    path: `/repos/${repository}/pulls/${c.req.param('number')}/comments`,
    body: { body, path, line, side, commit_id, in_reply_to_id: Number(c.req.param('id')) },
  });
}

async function comment(api: StandInApi, c: ApiContext): Promise<Response> {
  const body = await bodyFields(c);
  const repository = repositoryParam(c);
  const head = api.context.state.pullHeads.get(`${repository}#${c.req.param('number')}`);
  const parent = body['in_reply_to'];
  return api.forward(c, {
    body: {
      ...body,
      commit_id: body['commit_id'] ?? head,
      ...(parent !== undefined && { in_reply_to_id: parent }),
    },
  });
}

/** Pull requests, with head, commits and files from git. */
export function pullRoutes(app: Hono<ApiEnv>, api: StandInApi): void {
  const repository = '/repos/:owner/:repo';
  const one = `${repository}/pulls/:number{[0-9]+}`;
  app.post(`${repository}/pulls`, (c) => openPull(api, c));
  app.get(one, (c) => showPull(api, c));
  app.get(`${one}/commits`, (c) => showPart(api, c, 'commits'));
  app.get(`${one}/files`, (c) => showPart(api, c, 'files'));
  app.post(`${one}/comments/:id/replies`, (c) => reply(api, c));
  app.post(`${one}/comments`, (c) => comment(api, c));
  app.get(`${repository}/commits/:sha/pulls`, (c) => pullsOfCommit(api, c));
}
