import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { StandInActor } from './actor.ts';
import type { StandInApi, ApiContext, ApiEnv } from './api-context.ts';
import { invalid, bodyFields, errorAnswer } from './api-context.ts';
import { loginOf, gitPlaceOf, read, type StandInContext } from './context.ts';
import { isFields, asText } from './corrections.ts';
import { gitIn, gitText, readRefs, type GitPlace } from './git.ts';
import { takeIn } from './refs.ts';
import { readPushedPull, repositoryParam, type Pull } from './routes-pulls.ts';
import { refsOf } from './state.ts';

const MAY_PUSH = new Set(['push', 'write', 'maintain', 'admin']);

/** Whether somebody may change this repository's contents. */
export async function mayPush(
  context: StandInContext,
  actor: StandInActor,
  repository: string,
): Promise<boolean> {
  if (actor.kind === 'installation') {
    const { permissions, repositories } = actor;
    const name = repository.split('/')[1] ?? '';
    return permissions['contents'] === 'write' && (repositories?.includes(name) ?? true);
  }
  if (actor.kind !== 'user') return false;
  const path = `/repos/${repository}/collaborators/${actor.login}/permission`;
  const found = await read(context, path);
  return isFields(found) && MAY_PUSH.has(String(found['permission']));
}

function identity(actor: StandInActor, at: string): Record<string, string> {
  const login = loginOf(actor);
  const email = `${login}@users.noreply.example.com`;
  return {
    GIT_AUTHOR_NAME: login,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: login,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: at,
  };
}

interface FileChange {
  tip: string;
  file: string;
  /** Undefined deletes the file. */
  content: Buffer | undefined;
  message: string;
}

/**
 * Commits a change to a file. The same change by the same person at the same time has the same id.
 */
async function commitFile(
  place: GitPlace,
  change: FileChange,
  who: Record<string, string>,
): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'runlink-index-'));
  const env = { ...who, GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await gitIn(place, ['read-tree', change.tip], { env });
    if (change.content === undefined) {
      await gitIn(place, ['update-index', '--force-remove', '--', change.file], { env });
    } else {
      const blob = await gitText(place, ['hash-object', '-w', '--stdin'], {
        input: change.content,
      });
      const info = `100644,${blob},${change.file}`;
      await gitIn(place, ['update-index', '--add', '--cacheinfo', info], { env });
    }
    const tree = await gitText(place, ['write-tree'], { env });
    return await gitText(place, ['commit-tree', tree, '-p', change.tip], {
      env,
      input: `${change.message}\n`,
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function moveBranch(
  api: StandInApi,
  c: ApiContext,
  repository: string,
  move: { ref: string; to: string },
): Promise<void> {
  if (c.env.replay) return;
  const place = gitPlaceOf(api.context, repository);
  const words = move.to === '' ? ['-d', move.ref] : [move.ref, move.to];
  await gitIn(place, ['update-ref', ...words]);
  await takeIn(api.context, c.env.actor, repository, await readRefs(place));
}

async function changeFile(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const body = await bodyFields(c);
  const file = c.req.path.split('/contents/').slice(1).join('/contents/');
  const ref = `refs/heads/${typeof body['branch'] === 'string' ? body['branch'] : 'main'}`;
  const tip = refsOf(api.context.state, repository).get(ref);
  if (!(await mayPush(api.context, c.env.actor, repository))) return errorAnswer(403, 'Forbidden');
  if (!tip) return errorAnswer(404, `Branch ${ref} not found`);
  const removes = c.req.method === 'DELETE';
  const change: FileChange = {
    tip,
    file: decodeURIComponent(file),
    content: removes ? undefined : Buffer.from(asText(body['content']), 'base64'),
    message: asText(body['message']) || 'Change a file',
  };
  const place = gitPlaceOf(api.context, repository);
  const sha = await commitFile(place, change, identity(c.env.actor, c.env.at));
  await moveBranch(api, c, repository, { ref, to: sha });
  if (c.env.replay) return new Response(null, { status: 204 });
  const at = `/repos/${repository}`;
  const content = removes ? null : await read(api.context, `${at}/contents/${file}`);
  const commit = await read(api.context, `${at}/git/commits/${sha}`);
  return Response.json({ content, commit }, { status: removes ? 200 : 201 });
}

async function createRef(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const body = await bodyFields(c);
  const answer = await api.forward(c, { body });
  if (answer.status !== 201) return answer;
  const [ref, sha] = [String(body['ref']), String(body['sha'])];
  refsOf(api.context.state, repository).set(ref, sha);
  if (!c.env.replay) await gitIn(gitPlaceOf(api.context, repository), ['update-ref', ref, sha]);
  return answer;
}

async function changeRef(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const [, ...names] = c.req.path.split('/git/refs/');
  const ref = `refs/${decodeURIComponent(names.join('/git/refs/'))}`;
  const place = gitPlaceOf(api.context, repository);
  if (!(await mayPush(api.context, c.env.actor, repository))) return errorAnswer(403, 'Forbidden');
  if (!c.env.replay && !refsOf(api.context.state, repository).has(ref))
    return invalid({ code: 'custom', message: 'Reference does not exist' });
  const to = c.req.method === 'DELETE' ? '' : String((await bodyFields(c))['sha']);
  if (to !== '') {
    const kind = await gitText(place, ['cat-file', '-t', to]).catch(() => '');
    if (kind !== 'commit') return invalid({ code: 'custom', message: 'Object does not exist' });
  }
  await moveBranch(api, c, repository, { ref, to });
  if (to === '') return new Response(null, { status: 204 });
  return Response.json({ ref, object: { type: 'commit', sha: to } });
}

async function merge(api: StandInApi, c: ApiContext): Promise<Response> {
  const repository = repositoryParam(c);
  const number = Number(c.req.param('number'));
  const body = await bodyFields(c);
  if (!(await mayPush(api.context, c.env.actor, repository))) return errorAnswer(403, 'Forbidden');
  const item = await readPushedPull(api, repository, number);
  const refs = refsOf(api.context.state, repository);
  const [base, head] = [refs.get(`refs/heads/${item.base.ref}`) ?? '', item.head.sha];
  if (item.state !== 'open') return errorAnswer(405, 'Pull Request is not mergeable');
  if (typeof body['sha'] === 'string' && body['sha'] !== head)
    return errorAnswer(409, 'Head branch was modified. Review and try the merge again.');
  const place = gitPlaceOf(api.context, repository);
  const tree = await gitText(place, ['merge-tree', '--write-tree', base, head]).catch(() => '');
  if (tree === '') return errorAnswer(405, 'Pull Request is not mergeable');
  const title = `Merge pull request #${number} from ${repository.split('/')[0]}/${item.head.ref}`;
  const parents = body['merge_method'] === 'squash' ? ['-p', base] : ['-p', base, '-p', head];
  const sha = await gitText(place, ['commit-tree', tree, ...parents], {
    env: identity(c.env.actor, c.env.at),
    input: `${asText(body['commit_title']) || title}\n`,
  });
  api.context.state.merges.set(`${repository}#${number}`, sha);
  const { sha: _, ...wanted } = body;
  const answer = await api.forward(c, { body: wanted });
  if (answer.status !== 200) return answer;
  await moveBranch(api, c, repository, { ref: `refs/heads/${item.base.ref}`, to: sha });
  await closeIssues(api, c, repository, item);
  return Response.json({ sha, merged: true, message: 'Pull Request successfully merged' });
}

const CLOSES = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi;

/**
 * Merging a pull request into the default branch closes the issues that it names after a word such
 * as "Fixes".
 */
async function closeIssues(
  { context }: StandInApi,
  c: ApiContext,
  repository: string,
  { base, body }: Pull,
): Promise<void> {
  const { default_branch } = defaultBranch.parse(await read(context, `/repos/${repository}`));
  if (base.ref !== default_branch) return;
  for (const [, number] of (body ?? '').matchAll(CLOSES)) {
    const path = `/repos/${repository}/issues/${number}`;
    await context.upstream.send(c.env.actor, 'PATCH', path, { state: 'closed' });
  }
}

const defaultBranch = z.looseObject({ default_branch: z.string() });

/** Routes that change git. They change the bare repository first, so that clones see the change. */
export function gitRoutes(app: Hono<ApiEnv>, api: StandInApi): void {
  const repository = '/repos/:owner/:repo';
  app.put(`${repository}/contents/*`, (c) => changeFile(api, c));
  app.delete(`${repository}/contents/*`, (c) => changeFile(api, c));
  app.post(`${repository}/git/refs`, (c) => createRef(api, c));
  app.patch(`${repository}/git/refs/*`, (c) => changeRef(api, c));
  app.delete(`${repository}/git/refs/*`, (c) => changeRef(api, c));
  app.put(`${repository}/pulls/:number{[0-9]+}/merge`, (c) => merge(api, c));
}
