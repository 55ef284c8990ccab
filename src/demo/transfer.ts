import type { Hono } from 'hono';
import { z } from 'zod';
import type { StandInActor } from './actor.ts';
import { bodyFields, errorAnswer, type ApiContext, type ApiEnv } from './api-context.ts';
import { read, type StandInContext } from './context.ts';
import { senderOf } from './refs.ts';
import { DEMO_APP, DEMO_PEOPLE } from './seed.ts';

const written = z.looseObject({
  body: z.string().nullish(),
  user: z.looseObject({ login: z.string() }),
});
const issue = written.extend({ number: z.int(), title: z.string(), url: z.string() });

/** Issues that went to another repository. GitHub redirects from their old addresses. */
export function transferRoutes(app: Hono<ApiEnv>, context: StandInContext): void {
  app.use('/repos/:owner/:repo/issues/:number{[0-9]+}/*', async (c, next) => {
    const parts = c.req.path.split('/');
    const path = parts.slice(0, 6).join('/');
    const rest = c.req.path.slice(path.length);
    const location = c.req.method === 'GET' && context.state.moved.get(path);
    return location ? c.redirect(location + rest, 301) : next();
  });
  // GitHub has no such route: people do this on the page, programs by GraphQL.
  app.post('/repos/:owner/:repo/issues/:number{[0-9]+}/transfer', (c) => transfer(context, c));
}

async function transfer(context: StandInContext, c: ApiContext): Promise<Response> {
  const { state, deliveries, upstream } = context;
  const { actor, replay } = c.env;
  const path = c.req.path.replace('/transfer', '');
  const { owner = '', repo = '' } = c.req.param();
  const to = z
    .looseObject({ repository: z.string().regex(/^[\w-]+$/) })
    .safeParse(await bodyFields(c));
  const old = issue.safeParse(await read(context, path));
  if (actor.kind !== 'user' || !to.success || !old.success) return errorAnswer(404, 'Not Found');
  const target = `/repos/${owner}/${to.data.repository}`;
  const comments = z.array(written).parse(await read(context, `${path}/comments?per_page=100`));
  await upstream.send({ kind: 'user', login: 'admin' }, 'POST', `/orgs/${owner}/repos`, {
    name: to.data.repository,
  });
  await upstream.ask('PUT', `${target}/collaborators/${DEMO_PEOPLE.maintainer.login}`, {
    permission: 'push',
  });
  await hear(context, target, undefined);
  const { title, body, user } = old.data;
  const made = await upstream.send(authorOf(user), 'POST', `${target}/issues`, { title, body });
  const place = `${target}/issues/${issue.parse(made.body).number}`;
  for (const one of comments)
    await upstream.send(authorOf(one.user), 'POST', `${place}/comments`, { body: one.body });
  const moved = await read(context, place);
  state.moved.set(path, state.publicUrl + place);
  if (replay) return Response.json(moved);
  await hear(context, target, state.eventUrl);
  const from = await read(context, `/repos/${owner}/${repo}`);
  const there = await read(context, target);
  const sender = await senderOf(context, actor);
  await deliveries.emit('issues', {
    action: 'opened',
    issue: moved,
    changes: { old_issue: old.data, old_repository: from },
    repository: there,
    sender,
  });
  await deliveries.emit('issues', {
    action: 'transferred',
    issue: old.data,
    changes: { new_issue: moved, new_repository: there },
    repository: from,
    sender,
  });
  return Response.json(moved);
}

/** Has the emulator send the events of a repository to this URL alone, or to none. */
export async function hear(
  { upstream }: Pick<StandInContext, 'upstream'>,
  repository: string,
  url: string | undefined,
): Promise<void> {
  const hooks = `${repository}/hooks`;
  const known = z.array(z.looseObject({ id: z.int() })).parse(await upstream.ask('GET', hooks));
  for (const { id } of known) await upstream.ask('DELETE', `${hooks}/${id}`);
  if (url === undefined) return;
  const config = { url, content_type: 'json' };
  await upstream.ask('POST', hooks, { name: 'web', config, events: ['*'], active: true });
}

function authorOf({ login }: { login: string }): StandInActor {
  const { installationId, permissions } = DEMO_APP;
  return login.endsWith('[bot]')
    ? { kind: 'installation', installationId, permissions: { ...permissions } }
    : { kind: 'user', login };
}
