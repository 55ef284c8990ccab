import type { components } from '@octokit/openapi-types';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { StandInActor } from './actor.ts';
import {
  bodyFields,
  errorAnswer,
  type StandInApi,
  type ApiContext,
  type ApiEnv,
} from './api-context.ts';
import { appItem, isFields } from './corrections.ts';
import type { Attempt } from './deliveries.ts';
import { clientSecretOf } from './oauth.ts';
import { DEMO_APP, DEMO_PEOPLE } from './seed.ts';
import { read } from './context.ts';
import { KEEPER } from './upstream.ts';

type DeliveryItem = Omit<components['schemas']['hook-delivery-item'], 'id'> & { id: string };

const issued = z.object({
  token: z.string(),
  expires_at: z.string(),
  permissions: z.record(z.string(), z.string()),
});
const repositoryNames = z.array(z.string()).optional().catch(undefined);
const PER_PAGE = 30;

/** The App's own routes: tokens, installations, deliveries. */
export function appRoutes(app: Hono<ApiEnv>, api: StandInApi): void {
  const { deliveries } = api.context;
  app.post('/app-manifests/:code/conversions', (c) => convertManifest(api, c));
  app.post('/app/installations/:id/access_tokens', (c) => giveToken(api, c));
  app.get('/orgs/:org/memberships/:login', (c) => organisationMember(api, c));
  app.get('/user/:id{[0-9]+}', (c) => userById(api, c.req.param('id')));
  app.get('/installation/repositories', (c) => installationRepositories(api, c));
  app.use('/app/hook/*', async (c, next) =>
    (await isApp(api, c)) ? next() : errorAnswer(401, 'A JSON web token could not be decoded'),
  );
  app.get('/app/hook/deliveries', (c) => listDeliveries(api, c));
  app.get('/app/hook/deliveries/:id', (c) => oneDelivery(api, c.req.param('id')));
  app.post('/app/hook/deliveries/:id/attempts', (c) =>
    deliveries.redeliver(c.req.param('id'))
      ? Response.json({}, { status: 202 })
      : errorAnswer(404, 'Not Found'),
  );
}

async function giveToken(api: StandInApi, c: ApiContext): Promise<Response> {
  const body = await bodyFields(c);
  const answer = await api.forward(c, { body });
  if (answer.status !== 201) return answer;
  const { token, expires_at, permissions } = issued.parse(await answer.clone().json());
  const actor: StandInActor = {
    kind: 'installation',
    installationId: DEMO_APP.installationId,
    permissions,
    repositories: repositoryNames.parse(body['repositories']),
  };
  await api.context.journal.append({ type: 'token', token, actor, expires_at });
  api.context.state.tokens.set(token, actor);
  return answer;
}

function statusText(attempt: Attempt): string {
  if (attempt.status === undefined) return 'failed to connect to host';
  return attempt.status < 300 ? 'OK' : `Invalid HTTP Response: ${attempt.status}`;
}

function deliveryItem(item: { attempt: Attempt; delivery: { event: string; payload: string } }): {
  summary: DeliveryItem;
  payload: Record<string, unknown>;
} {
  const { attempt, delivery } = item;
  const parsed: unknown = JSON.parse(delivery.payload);
  const payload = isFields(parsed) ? parsed : {};
  const repository = isFields(payload['repository']) ? payload['repository'] : {};
  const summary: DeliveryItem = {
    id: attempt.id,
    guid: attempt.guid,
    delivered_at: attempt.at,
    redelivery: attempt.redelivery,
    duration: attempt.duration,
    status: statusText(attempt),
    status_code: attempt.status ?? 502,
    event: delivery.event,
    action: typeof payload['action'] === 'string' ? payload['action'] : null,
    installation_id: DEMO_APP.installationId,
    repository_id: typeof repository['id'] === 'number' ? repository['id'] : null,
    throttled_at: null,
  };
  return { summary, payload };
}

/**
 * Whether the request is from the App itself, which alone may see its deliveries. emulate checks
 * the JSON web token.
 */
async function isApp(api: StandInApi, c: ApiContext): Promise<boolean> {
  if (c.env.actor.kind !== 'app') return false;
  return (await api.context.upstream.send(c.env.actor, 'GET', '/app')).status === 200;
}

function listDeliveries(api: StandInApi, c: ApiContext): Response {
  const size = Math.min(100, Number(c.req.query('per_page') ?? PER_PAGE) || PER_PAGE);
  const all = api.context.deliveries.attempts();
  const older = all.slice(1 + all.findIndex(({ attempt }) => attempt.id === c.req.query('cursor')));
  const page = older.slice(0, size).map((item) => deliveryItem(item).summary);
  const last = page.at(-1);
  const next = `${api.context.state.publicUrl}/app/hook/deliveries?per_page=${size}&cursor=${last?.id}`;
  return withNumbers(page, older.length > page.length ? { link: `<${next}>; rel="next"` } : {});
}

/**
 * JSON with the ids as numbers, although they have more digits than JavaScript's numbers can hold.
 */
function withNumbers(value: unknown, link: Record<string, string> = {}): Response {
  const json = JSON.stringify(value).replaceAll(/"id":"(\d{19})"/g, '"id":$1');
  return new Response(json, { headers: { 'content-type': 'application/json', ...link } });
}

function oneDelivery(api: StandInApi, id: string): Response {
  const found = api.context.deliveries.attempts().find(({ attempt }) => attempt.id === id);
  if (!found) return errorAnswer(404, 'Not Found');
  const { summary, payload } = deliveryItem(found);
  const exchange = { request: { headers: {}, payload }, response: { headers: {}, payload: '' } };
  return withNumbers({ ...summary, ...exchange });
}

async function installationRepositories(api: StandInApi, c: ApiContext): Promise<Response> {
  if (c.env.actor.kind !== 'installation') return errorAnswer(403, 'Resource not accessible');
  const { repositories: names } = c.env.actor;
  const answer = await api.context.upstream.send(KEEPER, 'GET', '/user/repos?per_page=100');
  const all = z.array(z.looseObject({ name: z.string() })).parse(answer.body);
  const repositories = all.filter((item) => names?.includes(item.name) ?? true);
  return Response.json({ total_count: repositories.length, repositories });
}

/** Returns the App that was created from a manifest, once. */
function convertManifest({ context }: StandInApi, c: ApiContext): Response {
  const { state, deliveries, app } = context;
  const code = c.req.param('code') ?? '';
  const hook = state.manifestCodes.get(code);
  if (hook === undefined) return errorAnswer(404, 'Not Found');
  state.manifestCodes.delete(code);
  deliveries.setUrl(hook);
  const { privateKey: pem, webhookSecret: webhook_secret } = app;
  const secrets = { client_secret: clientSecretOf(webhook_secret), webhook_secret, pem };
  return Response.json({ ...appItem(state), ...secrets }, { status: 201 });
}

/**
 * The maintainer is a member of the organisation. emulate would make every member an administrator.
 */
async function organisationMember(api: StandInApi, c: ApiContext): Promise<Response> {
  const { login } = DEMO_PEOPLE.maintainer;
  if (c.req.param('login') !== login) return api.forward(c);
  const user = await read(api.context, `/users/${login}`);
  return Response.json({ state: 'active', role: 'member', user });
}

/** GitHub identifies an account by its number, even if it is renamed. */
async function userById(api: StandInApi, id: string): Promise<Response> {
  const answer = await api.context.upstream.send(KEEPER, 'GET', '/users?per_page=100');
  const all = z.array(z.looseObject({ id: z.int() })).parse(answer.body);
  const found = all.find((user) => String(user.id) === id);
  return found ? Response.json(found) : errorAnswer(404, 'Not Found');
}
