import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_MAX_BODY_BYTES,
  KEY_KINDS,
  fillPath,
  isKeyed,
  leastRole,
  type Endpoint,
  type KeyKind,
} from '../../src/contract/endpoint.ts';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { problem } from '../../src/contract/problem.ts';
import { ROLES, mayAs, type Role } from '../../src/contract/role.ts';
import { createKeyText, hashSecret } from '../../src/service/keys/key-text.ts';
import {
  createAgentKey,
  createPersonalKey,
  ensureTeam,
  revokeKey,
} from '../../src/service/keys/manage-keys.ts';
import { createSession } from '../../src/service/sessions/sessions.ts';
import { driveRuns, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { VALID_BODIES, VALID_QUERIES } from '../support/valid-bodies.ts';

const routes = listEndpoints();
let service: TestService;
let runs: RunDriver;
/** One key of each kind, of this team and of another. */
let keys: Record<KeyKind, string>;
let otherKeys: Record<KeyKind, string>;
/** Of the worker that came with the service, for every team. */
let builtInKey = '';
let revokedKey = '';
/** Of people with each role in the first team. */
let roleKeys: Partial<Record<Role, string>> = {};
let lease: Lease;
/** Of the first team: what nobody else may see. */
let ids: Record<string, string> = {};

async function idOf(method: string, path: string, body: unknown, field: string): Promise<string> {
  const answer = await runs.ask<Record<string, string>>(method, path, body);
  return answer.body[field] ?? '';
}

/** A key of each kind of a team, the run's of a run that a worker of the team has begun. */
async function keysOf(team: string): Promise<Record<KeyKind, string>> {
  const personal = await service.personalKey(team);
  const worker = await service.workerKey(team);
  const agent = await service.request('POST', '/agent/identities', {
    key: personal,
    body: { name: 'a' },
  });
  const { uid } = (await agent.json()) as { uid: string };
  const own = driveRuns(service, personal, worker);
  await own.create();
  return {
    personal,
    workflow: await workflowKey(team),
    worker,
    agent: (await createAgentKey(service.service.context, uid)).key,
    run: (await own.begin()).run_key,
  };
}

/** Of a workflow that may do all that workflows may. */
async function workflowKey(team: string): Promise<string> {
  const { db } = service.service.context;
  const key = createKeyText();
  await db
    .insertInto('workflow_keys')
    .values({
      id: randomUUID(),
      hash: hashSecret(key),
      token_hash: hashSecret(`of ${team}`),
      subject: randomUUID(),
      name: 'acme/web',
      team_id: await ensureTeam(db, team),
      role: 'member',
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
  return key;
}

async function uidOf(key: string): Promise<string> {
  const answer = await service.request('GET', '/agent/whoami', { key });
  return ((await answer.json()) as { profile: { uid: string } }).profile.uid;
}

/** A browser that the holder of this key is signed in with. */
async function signInOf(key: string): Promise<string> {
  const { db } = service.service.context;
  const userId = await uidOf(key);
  const teamId = await ensureTeam(db, 'default');
  await createSession(db, { userId, teamId }, { via: 'link' });
  const { id } = await db.selectFrom('sessions').select('id').executeTakeFirstOrThrow();
  return id;
}

/** A message to a run that its caller executes: it is nobody's follow-up. */
async function messageOf(): Promise<string> {
  const local = { 'x-oz-api-source': 'LOCAL' };
  const made = await runs.ask<{ run_id: string }>('POST', '/agent/runs', { prompt: 'p' }, local);
  const id = made.body.run_id;
  const message = { to: [id], subject: 's', body: 'b', sender_run_id: id };
  const sent = await runs.ask<{ message_ids: string[] }>('POST', '/agent/messages', message);
  return sent.body.message_ids[0] ?? '';
}

async function uploadArtifact(): Promise<string> {
  const answer = await fetch(
    `${service.baseUrl}/worker/runs/${lease.run_id}/artifacts?filepath=a.txt&mime_type=text/plain`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.worker}`, [LEASE_HEADER]: lease.token },
      body: 'content',
    },
  );
  return ((await answer.json()) as { artifact_uid: string }).artifact_uid;
}

beforeAll(async () => {
  // Nobody renews the leases here, and the keys of their runs are to work to the end.
  const started = await startDriver(() => startTestService({ graceMs: 3_600_000 }));
  ({ service, runs, workerKey: builtInKey } = started);
  otherKeys = await keysOf('others');
  const runId = await runs.create();
  lease = await runs.begin();
  keys = { ...(await keysOf('default')), personal: started.key, run: lease.run_key };
  ids = {
    runId,
    sessionId: runId,
    conversationId: (await runs.get(runId)).conversation_id ?? '',
    artifactUid: await uploadArtifact(),
    scheduleId: await idOf('POST', '/agent/schedules', VALID_BODIES['schedules.create'], 'id'),
    uid: await idOf('POST', '/agent/identities', { name: 'n' }, 'uid'),
    discoveryId: randomUUID(),
    keyId: await idOf('POST', '/agent/keys', { name: 'k' }, 'id'),
    loginId: randomUUID(),
    memberUid: await uidOf(await service.personalKey('default', 'a member')),
    signInId: await signInOf(started.key),
    messageId: await messageOf(),
    attachmentId: randomUUID(),
    followupId: randomUUID(),
  };
  const { db } = service.service.context;
  for (const role of ROLES)
    roleKeys = {
      ...roleKeys,
      [role]: (await createPersonalKey(db, { team: 'default', user: `a ${role}`, role })).key,
    };
  const made = await createPersonalKey(db, { team: 'default', user: 'owner' });
  revokedKey = made.key;
  await revokeKey(db, made.id);
});
afterAll(() => service.close());

interface Ask {
  key?: string;
  ids?: Record<string, string>;
  method?: string;
  body?: string | undefined;
  type?: string | undefined;
}

/** Asks an endpoint as it wants to be asked, but for what the case changes. */
function ask(id: string, endpoint: Endpoint, asked: Ask): Promise<Response> {
  const path = fillPath(endpoint.path, asked.ids ?? ids) + (VALID_QUERIES[id] ?? '');
  const json = VALID_BODIES[id] === undefined ? undefined : JSON.stringify(VALID_BODIES[id]);
  const body = 'body' in asked ? asked.body : json;
  const type = 'type' in asked ? asked.type : body === undefined ? undefined : 'application/json';
  return fetch(service.baseUrl + path, {
    method: asked.method ?? endpoint.method,
    redirect: 'manual',
    headers: {
      ...(asked.key === undefined ? {} : { authorization: `Bearer ${asked.key}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
      [LEASE_HEADER]: lease.token,
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** The problem document that an answer is; its own status says the answer's. */
async function refusal(answer: Response) {
  const read = problem.parse(await answer.json());
  const type = answer.headers.get('content-type');
  return { ...read, isProblem: type === 'application/problem+json', sent: answer.status };
}

/** What a refusal with this status looks like. */
const refused = (status: number) => ({ status, sent: status, isProblem: true });

const keyed = routes.filter(({ endpoint }) => isKeyed(endpoint));
const named = keyed.filter(({ endpoint }) => endpoint.path.includes('{'));
const bodied = routes.filter(({ endpoint }) => endpoint.body);
/** A key that the endpoint is meant for. */
function rightKey({ callers }: Endpoint, of = keys): string {
  const [kind] = callers.filter((caller) => caller !== 'anyone');
  return kind ? of[kind] : '';
}

it('the table names every endpoint, and a body for each that takes one', () => {
  expect(routes.length).toBeGreaterThan(45);
  expect(Object.keys(VALID_BODIES).toSorted()).toEqual(bodied.map(({ id }) => id).toSorted());
});

describe('without a key (interface.md 5)', () => {
  it.each(keyed)('$id is 401', async ({ id, endpoint }) => {
    const answer = await ask(id, endpoint, {});
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await refusal(answer)).toMatchObject(refused(401));
  });
});

describe.each([
  ['a wrong key', () => `rl_${'a'.repeat(40)}`],
  ['a revoked key', () => revokedKey],
  ['no key text', () => 'x'.repeat(5000)],
])('with %s', (_, wrong) => {
  it.each(keyed)('$id is 401', async ({ id, endpoint }) => {
    expect(await refusal(await ask(id, endpoint, { key: wrong() }))).toMatchObject(refused(401));
  });
});

describe('route × kind of key (threats.md S3, S18)', () => {
  const idsOf = (wanted: (endpoint: Endpoint) => boolean): string[] =>
    routes.filter(({ endpoint }) => wanted(endpoint)).map(({ id }) => id);

  it.each(
    keyed.flatMap((route) =>
      ([...KEY_KINDS, 'built-in'] as const).map((name) => ({
        ...route,
        name,
        kind: name === 'built-in' ? ('worker' as const) : name,
      })),
    ),
  )('$id takes a $name key as its table says', async ({ id, endpoint, name, kind }) => {
    const unknown = Object.fromEntries(Object.keys(ids).map((param) => [param, randomUUID()]));
    const key = name === 'built-in' ? builtInKey : keys[kind];
    const answer = await ask(id, endpoint, { key, ids: unknown });
    const outcome = { 401: 'unknown', 403: 'refused' }[answer.status] ?? 'let in';
    expect(outcome).toBe(endpoint.callers.includes(kind) ? 'let in' : 'refused');
  });

  it('a worker key takes runs and reports on them, and does nothing else; no other key does that', () => {
    const isOfWorkers = ({ path }: Endpoint): boolean => path.startsWith('/worker/');
    expect(idsOf((endpoint) => endpoint.callers.includes('worker'))).toEqual(idsOf(isOfWorkers));
    for (const { endpoint } of routes.filter((route) => isOfWorkers(route.endpoint)))
      expect(endpoint.callers).toEqual(['worker']);
  });

  it('agents do not manage agents or keys, nor publish', () => {
    const people = idsOf(({ callers }) => callers.includes('personal'));
    const agents = idsOf(({ callers }) => callers.includes('agent'));
    expect(people.filter((id) => !agents.includes(id))).toEqual([
      'runs.share',
      'artifacts.setVisibility',
      'identities.create',
      'identities.update',
      'identities.delete',
      'keys.list',
      'keys.create',
      'keys.revoke',
      'members.list',
      'members.update',
      'members.remove',
      'signIns.list',
      'signIns.end',
      'audit.list',
    ]);
  });

  it.each(
    keyed
      .filter(({ endpoint }) => endpoint.callers.includes('personal'))
      .flatMap((route) => ROLES.map((role) => ({ ...route, role }))),
  )('$id takes a person with the role $role as its table says', async ({ id, endpoint, role }) => {
    const unknown = Object.fromEntries(Object.keys(ids).map((param) => [param, randomUUID()]));
    const answer = await ask(id, endpoint, { key: roleKeys[role] ?? '', ids: unknown });
    const outcome = answer.status === 403 ? 'refused' : 'let in';
    expect(outcome).toBe(mayAs(role, leastRole(endpoint)) ? 'let in' : 'refused');
  });

  it('owners alone manage people, publish and read the log', () => {
    const owners = idsOf((endpoint) => leastRole(endpoint) === 'owner');
    expect(owners.toSorted()).toEqual([
      'artifacts.setVisibility',
      'audit.list',
      'members.remove',
      'members.update',
    ]);
  });

  it('a workflow’s key makes nothing that lasts longer than its job', () => {
    const agents = idsOf(({ callers }) => callers.includes('agent'));
    const workflows = idsOf(({ callers }) => callers.includes('workflow'));
    expect(workflows.filter((id) => !agents.includes(id))).toEqual([]);
    expect(agents.filter((id) => !workflows.includes(id))).toEqual([
      'schedules.create',
      'schedules.update',
      'schedules.delete',
      'schedules.pause',
      'schedules.resume',
    ]);
  });

  it('a run’s own key reads and reports on its run, and judges the one it was sent to judge', () => {
    expect(idsOf(({ callers }) => callers.includes('run'))).toEqual([
      'runs.get',
      'runs.getLegacy',
      'runs.entries',
      'harness.reportArtifact',
      'harness.finishTask',
      'scores.report',
    ]);
    expect(idsOf(({ ofOtherRun }) => ofOtherRun === true)).toEqual(['scores.report']);
  });

  it('only public artifacts, signed links, signing in and the description need no key', () => {
    expect(idsOf(({ callers }) => callers.includes('anyone'))).toEqual([
      'runs.transcriptContent',
      'runs.uploadAttachment',
      'conversations.transcriptContent',
      'artifacts.get',
      'artifacts.download',
      'artifacts.content',
      'description.openapi',
      'access.beginLogin',
      'access.finishLogin',
      'access.exchangeToken',
    ]);
  });
});

describe('with X-Warp-Team-Uid (interface.md 5.2)', () => {
  it('a key works in its own team, and nothing is done silently in another', async () => {
    const { db } = service.service.context;
    const teams = await db.selectFrom('teams').select(['id', 'name']).execute();
    const uidOf = (name: string) => teams.find((team) => team.name === name)?.id ?? '';
    const as = (asKey: string, uid: string) =>
      service.request('GET', '/agent/runs', { key: asKey, headers: { 'X-Warp-Team-Uid': uid } });
    expect((await as(keys.personal, uidOf('default').toUpperCase())).status).toBe(200);
    for (const uid of [uidOf('others'), randomUUID(), 'nonsense', ''])
      expect(await refusal(await as(keys.personal, uid))).toMatchObject({
        ...refused(403),
        field: 'X-Warp-Team-Uid',
      });
    expect((await as(keys.agent, uidOf('others'))).status).toBe(200);
  });
});

describe('with a run-scoped key (threats.md S3)', () => {
  it.each(named.filter(({ endpoint }) => endpoint.callers.includes('run')))(
    '$id of another run is 404',
    async ({ id, endpoint }) => {
      const other = { ...ids, runId: await runs.create() };
      expect(await refusal(await ask(id, endpoint, { key: keys.run, ids: other }))).toMatchObject(
        refused(404),
      );
    },
  );
});

describe('with another team’s id (interface.md 7, threats.md S2)', () => {
  it.each(named.filter(({ id }) => id !== 'skills.reportDiscovery'))(
    '$id is 404, in the words for an unknown id',
    async ({ id, endpoint }) => {
      const as = rightKey(endpoint, otherKeys);
      const unknown = Object.fromEntries(Object.keys(ids).map((name) => [name, randomUUID()]));
      const foreign = await refusal(await ask(id, endpoint, { key: as }));
      const answer = await ask(id, endpoint, { key: as, ids: unknown });
      const missing = await refusal(answer);
      expect(foreign).toMatchObject(refused(404));
      expect({ ...foreign, instance: '' }).toEqual({ ...missing, instance: '' });
    },
  );
});

describe('with an id that is none', () => {
  it.each(
    named.flatMap((route) =>
      ['nonsense', '%00', "'--", '..%2f', '9'.repeat(3000)].map((wrong) => ({ ...route, wrong })),
    ),
  )('$id of $wrong is refused', async ({ id, endpoint, wrong }) => {
    const wrongIds = Object.fromEntries(Object.keys(ids).map((name) => [name, wrong]));
    const answer = await ask(id, endpoint, { key: rightKey(endpoint), ids: wrongIds });
    const status = endpoint.path.includes('{artifactUid}') ? 400 : 404;
    expect(await refusal(answer)).toMatchObject(refused(status));
  });
});

describe('with a body that is wrong', () => {
  const asked = (endpoint: Endpoint) => ({ key: rightKey(endpoint) });

  it.each(bodied)('$id is 400 for broken JSON', async ({ id, endpoint }) => {
    const answer = await ask(id, endpoint, { ...asked(endpoint), body: '{"a": ' });
    expect(await refusal(answer)).toMatchObject(refused(400));
  });

  it.each(bodied)(
    '$id is 400 for JSON that is no object, naming the field',
    async ({ id, endpoint }) => {
      const answer = await ask(id, endpoint, { ...asked(endpoint), body: '[1]' });
      expect(await refusal(answer)).toMatchObject({ ...refused(400), field: 'body' });
    },
  );

  it.each(bodied)('$id is 413 for too much', async ({ id, endpoint }) => {
    const size = (endpoint.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES) + 1;
    const body = `"${'a'.repeat(size - 2)}"`;
    expect(await refusal(await ask(id, endpoint, { ...asked(endpoint), body }))).toMatchObject(
      refused(413),
    );
  });

  it.each(bodied)('$id is 415 for another content type', async ({ id, endpoint }) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect(await refusal(await ask(id, endpoint, { ...asked(endpoint), type }))).toMatchObject(
        refused(415),
      );
  });
});

describe('with a method that is not supported', () => {
  const paths = Map.groupBy(routes, ({ endpoint }) => endpoint.path);

  it.each([...paths])('%s is 405 with what is allowed', async (_, group) => {
    const allowed = group.map(({ endpoint }) => endpoint.method as string);
    const [first] = group;
    if (!first) return;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      if (allowed.includes(method)) continue;
      const asked = { key: keys.personal, method, body: undefined };
      const answer = await ask(first.id, first.endpoint, asked);
      expect(await refusal(answer)).toMatchObject(refused(405));
      const allow = (answer.headers.get('allow') ?? '').split(', ');
      expect(allow.filter((name) => name !== 'HEAD').toSorted()).toEqual(allowed.toSorted());
    }
  });
});

describe('a path that is not there', () => {
  it.each(['/', '/agents', '/agent/', '/agent/runs/', '/agent/runs/a/b/c', '/%ff'])(
    '%s is 404',
    async (path) => {
      const answer = await fetch(service.baseUrl + path);
      expect(await refusal(answer)).toMatchObject(refused(404));
    },
  );
});
