import type { Hono } from 'hono';
import { z } from 'zod';
import type { StandInApi, ApiContext, ApiEnv } from './api-context.ts';
import { invalid, bodyFields, errorAnswer } from './api-context.ts';
import { read } from './context.ts';
import { correct, isFields } from './corrections.ts';
import { issueOfPull } from './pull-issue.ts';
import { addReaction, isReactionContent, reactionsOn, removeReaction } from './reactions.ts';
import type { StoredReaction } from './state.ts';
import { senderOf } from './refs.ts';

/** GitHub's names for emulate's permissions. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  push: 'write',
  pull: 'read',
  maintain: 'write',
  triage: 'read',
};

const reactor = z.custom<StoredReaction['user']>((value) => isFields(value));

const asPull = (path: string): string => path.replace(/\/issues(?=\/\d+$|\?|$)/, '/pulls');

/** Issues and comments: reactions, permissions with GitHub's names, edits with the earlier text. */
export function issueRoutes(app: Hono<ApiEnv>, api: StandInApi): void {
  const repository = '/repos/:owner/:repo';
  app.get(`${repository}/collaborators/:login/permission`, (c) => askPermission(api, c));
  for (const kind of ['issues/:number', 'issues/comments/:id', 'pulls/comments/:id'])
    reactionRoutes(app, api, `${repository}/${kind}`);
  app.get(`${repository}/issues`, (c) => listIssues(api, c));
  app.get(`${repository}/issues/:number{[0-9]+}`, (c) => showIssue(api, c));
  app.patch(`${repository}/issues/:number{[0-9]+}`, (c) => editThread(api, c));
  for (const kind of ['issues/comments/:id', 'pulls/comments/:id', 'pulls/:number'])
    app.patch(`${repository}/${kind}`, (c) => edit(api, c, c.req.path));
}

async function askPermission(api: StandInApi, c: ApiContext): Promise<Response> {
  const answer = await api.forward(c);
  const body: unknown = await answer.clone().json();
  if (answer.status === 200 && isFields(body)) {
    const permission = String(body['permission']);
    return Response.json({ ...body, permission: PERMISSIONS[permission] ?? permission });
  }
  const login = c.req.param('login') ?? '';
  const user = await read(api.context, `/users/${encodeURIComponent(login)}`);
  if (answer.status !== 404 || !user) return answer;
  return Response.json({ permission: 'read', role_name: 'read', user });
}

async function react(api: StandInApi, c: ApiContext, path: string): Promise<Response> {
  const target = await api.context.upstream.send(c.env.actor, 'GET', path);
  if (target.status !== 200) return errorAnswer(404, 'Not Found');
  const { content } = await bodyFields(c);
  if (!isReactionContent(content))
    return invalid({ resource: 'Reaction', code: 'invalid', field: 'content' });
  const user = reactor.parse(await senderOf(api.context, c.env.actor));
  const given = { user, content, created_at: c.env.at };
  const { reaction, created } = addReaction(api.context.state, path, given);
  return Response.json(reaction, { status: created ? 201 : 200 });
}

function reactionRoutes(app: Hono<ApiEnv>, api: StandInApi, pattern: string): void {
  const { state } = api.context;
  const target = (c: ApiContext): string => c.req.path.replace(/\/reactions(\/\d+)?$/, '');
  app.post(`${pattern}/reactions`, (c) => react(api, c, target(c)));
  app.get(`${pattern}/reactions`, (c) => {
    const wanted = c.req.query('content');
    const all = reactionsOn(state, target(c));
    return Response.json(wanted ? all.filter((item) => item.content === wanted) : all);
  });
  app.delete(`${pattern}/reactions/:reaction`, (c) =>
    removeReaction(state, target(c), Number(c.req.param('reaction')))
      ? new Response(null, { status: 204 })
      : errorAnswer(404, 'Not Found'),
  );
}

/** Remembers the text that an edit replaces, because emulate's `edited` events leave it out. */
async function edit(api: StandInApi, c: ApiContext, path: string): Promise<Response> {
  const before = await read(api.context, path);
  const [old, wanted] = [isFields(before) ? before : {}, await bodyFields(c)];
  const changed = ['title', 'body'].filter(
    (field) => wanted[field] !== undefined && wanted[field] !== old[field],
  );
  const changes = changed.map((field) => [field, { from: old[field] ?? '' }]);
  api.intake.noteEdit(Object.fromEntries(changes) as Record<string, { from: unknown }>);
  return api.forward(c, { path });
}

/** An issue. emulate has none for pull requests, so one is made from the pull request. */
async function showIssue(api: StandInApi, c: ApiContext): Promise<Response> {
  const answer = await api.forward(c);
  if (answer.status !== 404) return answer;
  const pull = await api.forward(c, { path: asPull(c.req.path) });
  if (pull.status !== 200) return pull;
  return Response.json(correct(issueOfPull(await pull.json()), api.context.state));
}

async function editThread(api: StandInApi, c: ApiContext): Promise<Response> {
  const key = `${c.req.param('owner')}/${c.req.param('repo')}#${c.req.param('number')}`;
  if (!api.context.state.pullHeads.has(key)) return edit(api, c, c.req.path);
  const answer = await edit(api, c, asPull(c.req.path));
  if (answer.status !== 200) return answer;
  return Response.json(correct(issueOfPull(await answer.json()), api.context.state));
}

async function listIssues(api: StandInApi, c: ApiContext): Promise<Response> {
  const answer = await api.forward(c);
  const first = (c.req.query('page') ?? '1') === '1' && !c.req.query('labels');
  if (answer.status !== 200 || !first) return answer;
  const query = new URLSearchParams({ state: c.req.query('state') ?? 'open', per_page: '100' });
  const pulls = await api.forward(c, { path: `${asPull(c.req.path)}?${query.toString()}` });
  const issues: unknown = await answer.clone().json();
  const others: unknown = pulls.status === 200 ? await pulls.json() : [];
  if (!Array.isArray(issues) || !Array.isArray(others)) return answer;
  const all = [...others.map(issueOfPull), ...(issues as unknown[])];
  return Response.json(correct(all, api.context.state), { headers: answer.headers });
}
