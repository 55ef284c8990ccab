import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { errorAnswer, type ApiEnv } from './api-context.ts';
import { readAuthorization } from './authenticate.ts';
import type { StandInContext } from './context.ts';
import { answerFault, type Faults } from './faults.ts';
import { readRefs } from './git.ts';
import { readGitRequest, serveGit, type GitRequest } from './git-http.ts';
import type { EventIntake } from './intake.ts';
import { loginOf, gitPlaceOf } from './context.ts';
import { pushRules } from './push-rules.ts';
import { takeIn } from './refs.ts';
import { mayPush } from './routes-git.ts';

/** API paths that have no GitHub Enterprise prefix. */
const API_ROOTS =
  /^\/(app|app-manifests|graphql|installation|meta|organizations|orgs|rate_limit|repos|repositories|search|teams|users?|zen)(\/|$)/;
const ENTERPRISE = /^\/api\/v3(?=\/|$)|^\/api(?=\/graphql$)/;
const EVENT_MAX_BYTES = 25 * 1024 * 1024;

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Parts {
  context: StandInContext;
  api: Hono<ApiEnv>;
  intake: EventIntake;
  pages: Hono;
  faults: Faults;
}

const changes = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

/** Requests whose routes write to the journal themselves. */
const isJournaled = (path: string): boolean => !/^\/app(?:-manifests)?\//.test(path);

/** Whoever has the code from the page may fetch the App: nobody can sign in yet. */
const needsNobody = (path: string): boolean => path.startsWith('/app-manifests/');

/** Everything the stand-in answers: events of the emulator, git, the API, pages for people. */
export function createHandler(parts: Parts): { handle: Listener; eventPath: string } {
  const eventPath = `/_standin/${randomUUID()}`;
  const api = getRequestListener((request) => answerApi(parts, request), {
    overrideGlobalObjects: false,
  });
  const pages = getRequestListener(parts.pages.fetch, { overrideGlobalObjects: false });
  const handle: Listener = async (request, response) => {
    const url = new URL(request.url ?? '/', parts.context.state.publicUrl);
    if (url.pathname === eventPath) {
      const payload: unknown = JSON.parse(
        parts.context.upstream.publicText(await readAll(request)),
      );
      await parts.intake.take(String(request.headers['x-github-event']), payload);
      response.writeHead(204).end();
      return;
    }
    if (await failed(parts.faults, request, response, url)) return;
    const wanted = readGitRequest(url);
    if (wanted) return answerGit(parts, request, response, wanted, url.search.slice(1));
    const isApi = [ENTERPRISE, API_ROOTS].some((root) => root.test(url.pathname));
    await (isApi ? api : pages)(request, response);
  };
  return { handle, eventPath };
}

async function answerApi(parts: Parts, request: Request): Promise<Response> {
  const { context, api, intake } = parts;
  const actor = readAuthorization(context.state, request.headers.get('authorization') ?? undefined);
  if (!actor) return errorAnswer(401, 'Bad credentials');
  const { method } = request;
  const url = new URL(request.url);
  const path = url.pathname.replace(ENTERPRISE, '') || '/';
  const at = new Date().toISOString();
  const env = { actor, at, replay: false };
  const target = `${context.state.publicUrl}${path}${url.search}`;
  if (!changes(method)) return api.fetch(new Request(target, { method }), env);
  if (actor.kind === 'anonymous' && !needsNobody(path))
    return errorAnswer(401, 'Requires authentication');
  const body = await request.text();
  const inner = new Request(target, {
    method,
    ...(body && { body }),
    headers: { 'content-type': 'application/json' },
  });
  return context.exclusive(async () => {
    if (isJournaled(path)) {
      const entry = { type: 'request', at, actor, method, path: path + url.search, body } as const;
      await context.journal.append(entry);
    }
    const answer = await api.fetch(inner, env);
    if (answer.ok) await intake.settled(method, path);
    return answer;
  });
}

async function answerGit(
  parts: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  wanted: GitRequest,
  query: string,
): Promise<void> {
  const { context } = parts;
  const repository = `${wanted.owner}/${wanted.name}`;
  const actor = readAuthorization(context.state, request.headers.authorization);
  if (!context.state.refs.has(repository)) {
    response.writeHead(404).end('Repository not found.\n');
    return;
  }
  const allowed = actor && (!wanted.writes || (await mayPush(context, actor, repository)));
  if (!actor || (!allowed && actor.kind === 'anonymous')) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end('Log in first.\n');
    return;
  }
  if (!allowed) {
    response.writeHead(403).end('You may not push here.\n');
    return;
  }
  const { gitRoot: root, path } = context;
  const pushes = wanted.operation === 'git-receive-pack';
  const rules = pushes ? await pushRules(context, actor, repository) : {};
  const options = { root, path, user: loginOf(actor), query, rules };
  const beforeEnd = async (): Promise<void> => {
    if (pushes)
      await takeIn(context, actor, repository, await readRefs(gitPlaceOf(context, repository)));
  };
  const serve = (): Promise<void> => serveGit(request, response, wanted, { ...options, beforeEnd });
  await (pushes ? context.exclusive(serve) : serve());
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > EVENT_MAX_BYTES) throw new RangeError('The event is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Lets the request fail if a test asked for that; returns true if it was answered so. */
async function failed(
  faults: Faults,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<boolean> {
  const fault = faults.take(request.method ?? 'GET', url.pathname);
  if (fault?.kind === 'slow') await delay(fault.delayMs);
  if (fault?.kind === 'lost') response.end = () => response.destroy();
  if (!fault || fault.kind === 'slow' || fault.kind === 'lost') return false;
  answerFault(fault, response);
  return true;
}
