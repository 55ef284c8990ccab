import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createPagesBackend } from '../../src/cli/serve/pages-backend.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { createPages } from '../../src/pages/create-pages.ts';
import { serveApp, type Served } from '../support/browser.ts';
import { visitorOf, type Visitor } from '../support/page-visitor.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SHARED = { session_sharing: { public_access: 'VIEWER' } };
let service: TestService;
let pages: Served;
let runs: RunDriver;
let key = '';

async function serve(of: TestService): Promise<Served> {
  const behind = { log: silentLog, closing: new AbortController().signal };
  return serveApp((publicUrl) =>
    createPages(createPagesBackend(of.service, { ...behind, publicUrl })),
  );
}

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(() =>
    startTestService({ config: { public_links: true }, graceMs: 3_600_000 }),
  ));
  pages = await serve(service);
});
afterAll(async () => {
  await pages.close();
  await service.close();
});

const stranger = (): Visitor => visitorOf(pages.origin, fetch);
const see = async (path: string, visitor = stranger()) => {
  const answer = await visitor.get(path);
  return { status: answer.status, text: await answer.text() };
};
const share = (id: string, public_access: unknown) =>
  runs.ask<Problem>('PUT', `/agent/runs/${id}/sharing`, { public_access });

/** Says something in the run, as its worker does. */
type Say = (delta: string) => Promise<unknown>;

async function begun(config: object): Promise<{ id: string; say: Say }> {
  const id = await runs.create({
    title: 'Peculiar',
    prompt: 'a peculiar wish',
    metadata: { secret: 'tell nobody' },
    config,
  });
  // Runs that a test only created stand before it.
  let lease = await runs.begin();
  while (lease.run_id !== id) lease = await runs.begin();
  let seq = 0;
  const say: Say = (delta) => {
    seq += 1;
    const at = new Date().toISOString();
    const said = { seq, at, type: 'message', message_id: `m${seq}`, role: 'assistant', delta };
    return runs.report(lease, 'events', { events: [said] });
  };
  await say('Hear me');
  return { id, say };
}

describe('a public link (threats.md S23)', () => {
  it('shows what was asked and done to whoever has it, and nothing that changes or leads on', async () => {
    const { id } = await begun(SHARED);
    const page = await see(`/runs/${id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('a peculiar wish');
    expect(page.text).toContain('Hear me');
    for (const hidden of ['<form', 'tell nobody', 'owner', '/details', '/transcript', '/settings'])
      expect(page.text).not.toContain(hidden);
    expect((await see(`/runs/${id}/changes`)).status).toBe(200);
    const update = await see(`/runs/${id}/updates?after=0&wait=no&tab=conversation`);
    expect(update.text).toContain('Hear me');
  });

  it('opens nothing else: no other part, no form, no run beside it, no answer of the API', async () => {
    const { id } = await begun(SHARED);
    const { id: other } = await begun({});
    for (const path of [
      'details',
      'artifacts',
      'transcript',
      'images/1',
      'artifacts/x',
      'find?q=x',
    ])
      expect((await see(`/runs/${id}/${path}`)).status).toBe(404);
    expect((await see(`/runs/${other}`)).status).toBe(404);
    expect((await see('/runs')).status).toBe(401);
    for (const form of ['cancel', 'followups', 'retry', 'sharing']) {
      const sent = await stranger().post(`/runs/${id}/${form}`, { message: 'm', public: 'yes' });
      expect(sent.status).toBe(404);
    }
    for (const path of ['', '/entries', '/timeline', '/conversation'])
      expect((await service.request('GET', `/agent/runs/${id}${path}`)).status).toBe(401);
    expect((await runs.get(id)).state).toBe('INPROGRESS');
  });

  it('is off again at once, for whoever already looks too', async () => {
    const { id, say } = await begun({});
    expect((await see(`/runs/${id}`)).status).toBe(404);
    expect((await share(id, 'VIEWER')).body).toEqual({ public_access: 'VIEWER' });
    expect((await runs.get(id)).agent_config).toMatchObject(SHARED);
    expect((await see(`/runs/${id}`)).status).toBe(200);
    const { body: log } = await runs.ask<{ next_after: number }>(
      'GET',
      `/agent/runs/${id}/entries`,
    );
    const looking = see(`/runs/${id}/updates?after=${log.next_after}&tab=conversation`);
    expect((await share(id, null)).status).toBe(200);
    expect((await see(`/runs/${id}`)).status).toBe(404);
    await say('for us alone');
    const late = await looking;
    expect([late.status, late.text.includes('for us alone')]).toEqual([404, false]);
    expect((await runs.get(id)).agent_config).not.toHaveProperty('session_sharing');
  });

  it('is seen by people of other teams as by anybody, and by its own as always', async () => {
    const { id } = await begun(SHARED);
    const eve = stranger();
    await eve.signIn(await service.personalKey('others', 'eve'));
    const hers = await see(`/runs/${id}`, eve);
    expect([hers.status, hers.text.includes('followups')]).toEqual([200, false]);
    expect((await see(`/runs/${id}/details`, eve)).status).toBe(404);
    const own = stranger();
    await own.signIn(key);
    expect((await see(`/runs/${id}`, own)).text).toContain('followups');
    const stopped = await own.submit(`/runs/${id}/details`, `/runs/${id}/sharing`);
    expect(stopped.status).toBe(303);
    expect((await see(`/runs/${id}`)).status).toBe(404);
    await own.submit(`/runs/${id}/details`, `/runs/${id}/sharing`, { public: 'yes' });
    expect((await see(`/runs/${id}`)).status).toBe(200);
  });

  it('is in the audit log from the start, by whoever made the run', async () => {
    const create = async (config: object, team: boolean, headers = {}) => {
      const body = { prompt: 'p', title: 'Peculiar', config, team };
      const answer = await service.request('POST', '/agent/runs', { key, body, headers });
      return ((await answer.json()) as { run_id: string }).run_id;
    };
    const once = { 'idempotency-key': '"born-shared"' };
    const [ours, own, quiet] = [
      await create(SHARED, true),
      await create(SHARED, false),
      await create({}, true),
    ];
    const [again, same] = [await create(SHARED, true, once), await create(SHARED, true, once)];
    expect(same).toBe(again);
    const noted = await service.service.context.db
      .selectFrom('audit_events')
      .where('object_id', 'in', [ours, own, quiet, again])
      .select(['object_id', 'object_name', 'action', 'actor_type'])
      .orderBy('id')
      .execute();
    const shared = { action: 'run.shared', actor_type: 'person' };
    expect(noted).toEqual([
      { ...shared, object_id: ours, object_name: 'Peculiar' },
      { ...shared, object_id: own, object_name: 'personal' },
      { ...shared, object_id: again, object_name: 'Peculiar' },
    ]);
  });

  it('is made by people of the team alone, and only to look', async () => {
    const { id } = await begun({});
    const eve = await service.personalKey('others', 'eve');
    const body = { public_access: 'VIEWER' };
    const path = `/agent/runs/${id}/sharing`;
    expect((await service.request('PUT', path, { key: eve, body })).status).toBe(404);
    expect((await share(id, 'EDITOR')).status).toBe(422);
    const member = await service.personalKey('default', 'bo');
    const asMember = (config: object, team: boolean) =>
      service.request('POST', '/agent/runs', { key: member, body: { prompt: 'p', config, team } });
    expect((await service.request('PUT', path, { key: member, body })).status).toBe(403);
    expect((await asMember(SHARED, true)).status).toBe(403);
    expect((await asMember(SHARED, false)).status).toBe(200);
    const off = { public_access: null };
    expect((await service.request('PUT', path, { key: member, body: off })).status).toBe(200);
    const config = { session_sharing: { public_access: 'EDITOR' } };
    expect((await runs.ask('POST', '/agent/runs', { prompt: 'p', config })).status).toBe(422);
  });
});

it('a service whose operator allows no public links refuses them, and shows none that were made', async () => {
  const { id } = await begun(SHARED);
  const closed = await startTestService({ databaseUrl: service.databaseUrl, graceMs: 3_600_000 });
  const shown = await serve(closed);
  try {
    expect((await fetch(`${shown.origin}/runs/${id}`)).status).toBe(404);
    const options = { key, body: { prompt: 'p', config: SHARED } };
    const answer = await closed.request('POST', '/agent/runs', options);
    const problem = (await answer.json()) as Problem;
    expect([answer.status, problem.field]).toEqual([422, 'config.session_sharing']);
    const scheduled = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p', agent_config: SHARED };
    const timed = await closed.request('POST', '/agent/schedules', { key, body: scheduled });
    expect(timed.status).toBe(422);
    const again = { key, body: { public_access: 'VIEWER' } };
    const sharing = `/agent/runs/${id}/sharing`;
    expect((await closed.request('PUT', sharing, again)).status).toBe(422);
    const off = { key, body: { public_access: null } };
    expect((await closed.request('PUT', sharing, off)).status).toBe(200);
  } finally {
    await shown.close();
    await closed.close();
  }
});
