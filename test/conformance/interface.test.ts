import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../src/contract/lease.ts';
import { createAgentKey } from '../../src/service/keys/manage-keys.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ENVIRONMENT = 'Abcdefghij0123456789xy';
let service: TestService;
let runs: RunDriver;
let key = '';

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(() =>
    startTestService({ config: { environments: [{ id: ENVIRONMENT, name: 'web' }] } }),
  ));
});
afterAll(() => service.close());

/** Begins this run and no other. */
async function begin(runId: string): Promise<Lease> {
  let lease = await runs.begin();
  while (lease.run_id !== runId) lease = await runs.begin();
  return lease;
}

/** A run that said something and ended. */
async function ended(state: string): Promise<string> {
  const id = await runs.create({ prompt: 'Fix it' });
  const lease = await begin(id);
  const at = new Date().toISOString();
  const events = [
    { seq: 1, at, type: 'setup', step: 'clone', title: 'Clone', started_at: at, finished_at: at },
    { seq: 2, at, type: 'agent_started', harness: 'demo' },
    { seq: 3, at, type: 'message', message_id: 'm', role: 'assistant', delta: 'Done.' },
  ];
  await runs.report(lease, 'events', { events });
  await runs.complete(lease, state);
  return id;
}

describe('interface.md 1, 3: creation', () => {
  it.each(['/agent/run', '/agent/runs'])(
    'POST %s answers at once with a QUEUED run',
    async (path) => {
      const answer = await runs.ask<Record<string, string>>('POST', path, { prompt: 'p' });
      expect(answer).toMatchObject({ status: 200, body: { state: 'QUEUED' } });
      expect((await runs.get(answer.body['run_id'] ?? '')).state).toBe('QUEUED');
    },
  );
});

describe('interface.md 2: what a run says of itself', () => {
  it('has its full prompt, configuration, creator, executor, source, times and metadata', async () => {
    const id = await runs.create({
      prompt: 'x'.repeat(10_000),
      title: 'A title',
      config: { environment_id: ENVIRONMENT, name: 'fixer' },
      metadata: { ticket: 'T-1' },
    });
    const run = await runs.get(id);
    expect(run).toMatchObject({
      prompt: 'x'.repeat(10_000),
      title: 'A title',
      agent_config: { environment_id: ENVIRONMENT, name: 'fixer' },
      creator: { type: 'user' },
      executor: { type: 'user' },
      source: 'API',
      execution_location: 'REMOTE',
      metadata: { ticket: 'T-1' },
      artifacts: [],
    });
    expect(Date.parse(run.updated_at)).toBeGreaterThanOrEqual(Date.parse(run.created_at));
  });

  it('has a session_link once it has SUCCEEDED', async () => {
    const run = await runs.get(await ended('SUCCEEDED'));
    expect(run).toMatchObject({
      state: 'SUCCEEDED',
      session_link: expect.stringContaining(run.run_id),
    });
  });

  it('says in status_message why it FAILED', async () => {
    const run = await runs.get(await ended('FAILED'));
    expect(run).toMatchObject({ state: 'FAILED', status_message: { message: 'FAILED' } });
  });

  it('says which run it descends from, which must be there', async () => {
    const parent = await runs.create();
    const child = await runs.get(await runs.create({ parent_run_id: parent }));
    expect(child).toMatchObject({ parent_run_id: parent, root_run_id: parent });
    const orphan = { prompt: 'p', parent_run_id: randomUUID() };
    expect((await runs.ask('POST', '/agent/runs', orphan)).status).toBe(400);
  });
});

describe('interface.md 4.2: reading a run', () => {
  it('its transcript is behind a redirect to a time-limited link (interface.md 8)', async () => {
    const id = await ended('SUCCEEDED');
    const answer = await service.request('GET', `/agent/runs/${id}/transcript`, { key });
    expect(answer.status).toBe(302);
    const location = new URL(answer.headers.get('location') ?? '', service.url);
    const content = await fetch(location);
    expect(content.status).toBe(200);
    expect(await content.text()).toContain('Done.');
    location.searchParams.set('expires', '1');
    expect((await fetch(location)).status).toBe(403);
  });

  it('its timeline is in the order things happened', async () => {
    const id = await ended('SUCCEEDED');
    const { body } = await runs.ask<{ events: { event_type: string; occurred_at: string }[] }>(
      'GET',
      `/agent/runs/${id}/timeline`,
    );
    const types = body.events.map((event) => event.event_type);
    expect(types[0]).toBe('oz_run_created');
    expect(types.at(-1)).toBe('oz_run_done');
    expect(types).toContain('agent_started');
    const times = body.events.map((event) => Date.parse(event.occurred_at));
    expect(times[0]).toBeLessThanOrEqual(times.at(-1) ?? 0);
  });

  it('its conversation is the same by run and by conversation id', async () => {
    const id = await ended('SUCCEEDED');
    const byRun = await runs.ask<{ conversation_id: string; steps: unknown[] }>(
      'GET',
      `/agent/runs/${id}/conversation`,
    );
    const path = `/agent/conversations/${byRun.body.conversation_id}`;
    expect((await runs.ask('GET', path)).body).toEqual(byRun.body);
    expect(JSON.stringify(byRun.body.steps)).toContain('Done.');
  });
});

describe('interface.md 4.2, 7: run-by-external-reference', () => {
  async function report(runId: string, url: string): Promise<void> {
    const answer = await runs.ask(
      'POST',
      '/harness-support/report-artifact',
      { artifact_type: 'EXTERNAL_REFERENCE', data: { reference_type: 'pull_request', url } },
      { 'x-warp-cloud-agent-id': runId },
    );
    expect(answer.status).toBe(200);
  }
  const find = (url: string, as = key) =>
    service.request('GET', `/agent/run-by-external-reference?url=${encodeURIComponent(url)}`, {
      key: as,
    });

  it('finds the newest run that reported the page, in any of its spellings', async () => {
    const [first, second] = [await runs.create(), await runs.create()];
    await report(second, 'https://github.com/acme/web/pull/41');
    await report(first, 'https://github.com/Acme/web/pull/41/files');
    const found = await find('HTTPS://github.com:443/acme/web/pull/41/commits#top');
    expect(await found.json()).toEqual({ run_id: second });
  });

  it('does not tell no match from no access', async () => {
    await report(await runs.create(), 'https://github.com/acme/web/pull/42');
    const others = await service.personalKey('others', 'other');
    const hidden = await find('https://github.com/acme/web/pull/42', others);
    const unknown = await find('https://github.com/acme/web/pull/43', others);
    expect([hidden.status, unknown.status]).toEqual([404, 404]);
    expect(await hidden.json()).toEqual(await unknown.json());
  });

  it('needs a url', async () => {
    const answer = await runs.ask('GET', '/agent/run-by-external-reference');
    expect(answer).toMatchObject({ status: 400, body: { field: 'url' } });
  });
});

describe('interface.md 5: keys', () => {
  it('are taken as their raw value after Bearer', async () => {
    for (const authorization of [key, `Basic ${key}`, 'Bearer', `Bearer ${key}x`]) {
      const headers = { authorization };
      expect((await service.request('GET', '/agent/runs', { headers })).status).toBe(401);
    }
  });

  it('attribute runs to the person or the agent that they belong to', async () => {
    const { body } = await runs.ask<{ uid: string }>('POST', '/agent/identities', { name: 'bot' });
    const { key: agentKey } = await createAgentKey(service.service.context, body.uid);
    const made = await service.request('POST', '/agent/runs', {
      key: agentKey,
      body: { prompt: 'p' },
    });
    const { run_id: id } = (await made.json()) as { run_id: string };
    expect((await runs.get(id)).creator).toMatchObject({ type: 'service_account', uid: body.uid });
    expect((await runs.get(await runs.create())).creator).toMatchObject({ type: 'user' });
  });
});

describe('interface.md 8: limits', () => {
  it.each([
    ['21 characters', 'a'.repeat(21)],
    ['23 characters', 'a'.repeat(23)],
    ['a hyphen', `${'a'.repeat(21)}-`],
    ['the filter’s reserved word', 'empty-environment'],
  ])('no environment id has %s', async (_, environment_id) => {
    const body = { prompt: 'p', config: { environment_id } };
    const answer = await runs.ask('POST', '/agent/runs', body);
    expect(answer).toMatchObject({ status: 400, body: { field: 'config.environment_id' } });
  });

  it('a metadata filter has at most five pairs', async () => {
    const pairs = (count: number) =>
      Array.from({ length: count }, (_, index) => `metadata[k${index}]=v`).join('&');
    expect((await runs.ask('GET', `/agent/runs?${pairs(5)}`)).status).toBe(200);
    expect(await runs.ask('GET', `/agent/runs?${pairs(6)}`)).toMatchObject({
      status: 400,
      body: { field: 'metadata' },
    });
  });
});

describe('interface.md 9: versioning', () => {
  it('the base address ends with v1 and describes itself without a key', async () => {
    expect(service.baseUrl.endsWith('/v1')).toBe(true);
    const answer = await fetch(`${service.baseUrl}/openapi.json`);
    const document = (await answer.json()) as { openapi: string; paths: object };
    expect([answer.status, document.openapi]).toEqual([200, '3.1.0']);
    expect(Object.keys(document.paths)).toContain('/agent/run');
  });
});
