import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fillPath, type Endpoint } from '../../src/contract/endpoint.ts';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { createSession } from '../../src/service/sessions/sessions.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createSteadier } from '../support/steady.ts';

const ENVIRONMENT = 'Abcdefghij0123456789xy';
const at = '2026-01-01T12:00:00.000Z';
let service: TestService;
let key = '';
let workerKey = '';

beforeAll(async () => {
  service = await startTestService({
    config: {
      environments: [
        { id: ENVIRONMENT, name: 'web', repositories: [{ owner: 'acme', repo: 'web' }] },
      ],
      models: [
        {
          id: 'large',
          display_name: 'Large',
          provider: 'ANTHROPIC',
          cost: { input_usd: 3, output_usd: 15 },
          default: true,
        },
        { id: 'retired', disabled: 'ADMIN_DISABLED' },
      ],
      scorers: [{ id: 7, name: 'quality', prompt: 'Is it good?', labels: ['good', 'bad'] }],
    },
  });
  key = await service.personalKey();
  workerKey = await service.workerKey();
});
afterAll(() => service.close());

interface Example {
  request?: unknown;
  response?: unknown;
}
const examples: Record<string, Example> = {};

interface Asked {
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  key?: string;
  lease?: Lease;
}

function send(endpoint: Endpoint, { params = {}, query = '', body, key: as, lease }: Asked) {
  return service.request(endpoint.method, fillPath(endpoint.path, params) + query, {
    key: as ?? (endpoint.callers.includes('worker') ? workerKey : key),
    ...(body === undefined ? {} : { body }),
    headers: lease ? { [LEASE_HEADER]: lease.token } : {},
  });
}

/** Asks an endpoint and keeps what was sent and answered as its example. */
async function show<T = Record<string, string>>(id: string, asked: Asked = {}): Promise<T> {
  const endpoint = listEndpoints().find((route) => route.id === id)?.endpoint;
  if (!endpoint) throw new Error(`no endpoint ${id}`);
  const answer = await send(endpoint, asked);
  expect([id, answer.status]).toEqual([id, endpoint.status]);
  const response: unknown = endpoint.answer === 'empty' ? undefined : await answer.json();
  examples[id] ??= {
    ...(asked.body === undefined ? {} : { request: asked.body }),
    ...(response === undefined ? {} : { response }),
  };
  return response as T;
}

async function discover(): Promise<void> {
  const { discovery } = await show<{ discovery: { discovery_id: string; token: string } }>(
    'skills.claimDiscovery',
  );
  const content = '---\nname: review\ndescription: Reads a diff\n---\nRead the diff.\n';
  await show('skills.reportDiscovery', {
    params: { discoveryId: discovery.discovery_id },
    body: { token: discovery.token, skills: [{ path: 'skills/review/SKILL.md', content }] },
  });
}

const EVENTS = [
  {
    type: 'setup',
    step: 'clone',
    title: 'Clone acme/web',
    started_at: at,
    finished_at: at,
    is_error: false,
  },
  { type: 'agent_started', harness: 'demo' },
  { type: 'plan', entries: [{ content: 'Fix the test', status: 'completed' }] },
  {
    type: 'tool_call',
    call_id: 'c1',
    kind: 'execute',
    title: 'npm test',
    input: { command: 'npm test' },
    status: 'completed',
    output_delta: 'ok\n',
    exit_code: 0,
  },
  { type: 'message', message_id: 'm1', role: 'assistant', delta: 'The test is fixed.' },
].map((event, index) => ({ seq: index + 1, at, ...event }));

/** One run from its creation to its end, as its client and its worker see it. */
async function runLife(): Promise<string> {
  const { run_id: runId = '' } = await show('runs.create', {
    body: {
      prompt: 'Fix the failing test',
      config: { environment_id: ENVIRONMENT },
      metadata: { ticket: 'T-1' },
    },
  });
  const params = { runId };
  await show('worker.settings');
  const { lease } = await show<{ lease: Lease }>('worker.claim', {
    body: { worker_id: 'worker-1', capacity: 1, harnesses: ['demo'] },
  });
  await show('worker.acknowledge', { params, lease });
  await show('worker.heartbeat', { params, lease, body: { after_signal: 0 } });
  await show('runs.interrupt', { params });
  await show('worker.appendEvents', { params, lease, body: { events: EVENTS } });
  const upload = await fetch(
    `${service.baseUrl}/worker/runs/${runId}/artifacts?filepath=out/report.txt&mime_type=text/plain`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${workerKey}`, [LEASE_HEADER]: lease.token },
      body: 'content',
    },
  );
  const uploaded = (await upload.json()) as { artifact_uid: string };
  examples['artifacts.upload'] = { response: uploaded };
  await show('harness.reportArtifact', {
    key: lease.run_key,
    body: {
      artifact_type: 'EXTERNAL_REFERENCE',
      data: { reference_type: 'pull_request', url: 'https://github.com/acme/web/pull/7' },
    },
  });
  await show('worker.complete', {
    params,
    lease,
    body: { state: 'SUCCEEDED', message: 'The test is fixed.', last_signal: 0 },
  });
  const artifact = { artifactUid: uploaded.artifact_uid };
  await show('artifacts.get', { params: artifact });
  await show('runs.share', { params: { runId }, body: { public_access: null } });
  await show('artifacts.setVisibility', { params: artifact, body: { public: true } });
  return runId;
}

/** The judge that was sent for the run says what it thinks. */
async function judge(runId: string): Promise<void> {
  const body = { worker_id: 'worker-1', capacity: 1, harnesses: ['demo'] };
  const lease = await vi.waitFor(
    async () => {
      const answer = await service.request('POST', '/worker/claim', { key: workerKey, body });
      const claimed = ((await answer.json()) as { lease: Lease | null }).lease;
      if (!claimed) throw new Error('no judge yet');
      return claimed;
    },
    { timeout: 60_000 },
  );
  await show('scores.report', {
    params: { runId },
    key: lease.run_key,
    body: { results: [{ scorer_id: 7, classification: 'good', reason: 'It is small.' }] },
  });
  await show('scores.list', { params: { runId } });
}

async function people(): Promise<void> {
  const { db } = service.service.context;
  await service.personalKey('default', 'ada');
  const { members } = await show<{ members: { uid: string; display_name: string }[] }>(
    'members.list',
  );
  const { uid: memberUid = '' } = members.find((each) => each.display_name === 'ada') ?? {};
  const params = { memberUid };
  await show('members.update', { params, body: { role: 'reader' } });
  await show('members.remove', { params });
  const { id: teamId } = await db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
  const userId = members.find((each) => each.display_name === 'owner')?.uid ?? '';
  await createSession(db, { userId, teamId }, { via: 'key', browser: 'Firefox/144.0' });
  const { sign_ins } = await show<{ sign_ins: { id: string }[] }>('signIns.list');
  await show('signIns.end', { params: { signInId: sign_ins[0]?.id ?? '' } });
  await show('audit.list', { query: '?action=sign_in.ended' });
}

it('the examples of openapi.json are real answers (update: npm run generate)', async () => {
  await show('statistics.read', {
    query: '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&group_by=environment',
  });
  await discover();
  const runId = await runLife();
  const params = { runId };
  await show('runs.get', { params });
  await show('runs.list', { query: '?state=SUCCEEDED&limit=1' });
  await show('runs.timeline', { params });
  const { conversation_id: conversationId = '' } = await show('runs.conversation', { params });
  await show('conversations.get', { params: { conversationId } });
  await show('runs.harnessUsage', { params: { runId } });
  await show('runs.events', { query: `?run_ids=${runId}&since=9999999999999` });
  await show('runs.byExternalReference', {
    query: '?url=https://github.com/acme/web/pull/7/files',
  });
  await judge(runId);
  await show('runs.followup', { params, body: { message: 'Also add a changelog line' } });
  await show('runs.cancel', { params });
  await show('environments.list');
  await show('models.list');
  await show('skills.list');
  await show('workers.list');
  const identity = { name: 'helper', description: 'Helps with the web' };
  const { uid = '' } = await show('identities.create', { body: identity });
  await show('identities.list');
  await show('identities.get', { params: { uid } });
  await show('identities.update', { params: { uid }, body: { prompt: 'Be brief' } });
  const schedule = { name: 'nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy up' };
  const { id: scheduleId = '' } = await show('schedules.create', { body: schedule });
  const named = { params: { scheduleId } };
  await show('schedules.list');
  await show('schedules.get', named);
  await show('schedules.update', { ...named, body: { ...schedule, enabled: true } });
  await show('schedules.pause', named);
  await show('schedules.resume', named);
  await show('schedules.delete', named);
  await people();
  const steady = createSteadier(service.url);
  // A line for each endpoint: a change shows which one it is of.
  const lines = Object.entries(steady(examples) as Record<string, unknown>).map(
    ([id, example]) => `  ${JSON.stringify(id)}: ${JSON.stringify(example)}`,
  );
  const text = `{\n${lines.join(',\n')}\n}\n`;
  const file = new URL('../../src/contract/openapi-examples.json', import.meta.url);
  await expect(text).toMatchFileSnapshot(fileURLToPath(file));
});
