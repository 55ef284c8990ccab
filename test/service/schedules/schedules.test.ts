import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listRunsResponse, type RunItem } from '../../../src/contract/run.ts';
import { requestOfSchedule } from '../../../src/contract/repeat-run.ts';
import { schedule as scheduleSchema, type Schedule } from '../../../src/contract/schedule.ts';
import { fireSchedule } from '../../../src/service/schedules/fire-schedule.ts';
import { sweepSchedules } from '../../../src/service/schedules/run-schedules.ts';
import { sendFiring } from '../../../src/service/schedules/schedule-queue.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const CONFIG = {
  models: [{ id: 'good' }, { id: 'old', disabled: 'ADMIN_DISABLED' }],
  environments: [
    {
      id: 'Abcdefghij0123456789xy',
      name: 'web',
      repositories: [{ owner: 'acme', repo: 'web' }],
    },
  ],
  limits: { missed_firing: '2h' },
};
let service: TestService;
let key = '';

beforeAll(async () => {
  service = await startTestService({ config: CONFIG });
  key = await service.personalKey();
});
afterAll(() => service.close());

async function create(fields: Record<string, unknown> = {}): Promise<Schedule> {
  const body = { name: 'nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy up', ...fields };
  const answer = await service.request('POST', '/agent/schedules', { key, body });
  expect(answer.status).toBe(201);
  return scheduleSchema.parse(await answer.json());
}

async function get(id: string): Promise<Schedule> {
  const answer = await service.request('GET', `/agent/schedules/${id}`, { key });
  expect(answer.status).toBe(200);
  return scheduleSchema.parse(await answer.json());
}

async function runsOf(id: string): Promise<RunItem[]> {
  const answer = await service.request('GET', `/agent/runs?schedule_id=${id}`, { key });
  return listRunsResponse.parse(await answer.json()).runs;
}

/** Moves a schedule's next firing into the past, as a downtime would, and answers that moment. */
async function makeDue(id: string, minutesAgo: number): Promise<Date> {
  const at = new Date(Math.floor(Date.now() / 60_000 - minutesAgo) * 60_000);
  await service.service.context.db
    .updateTable('schedules')
    .set({ next_run: at })
    .where('id', '=', id)
    .execute();
  return at;
}

/** Fires what is due; the service's own sweep may have been a moment quicker. */
async function fire(id: string, at: Date): Promise<void> {
  await fireSchedule(service.service.context, id, at);
  await vi.waitFor(
    async () => expect((await dueAt(id)).getTime()).toBeGreaterThan(Date.now()),
    30_000,
  );
}

async function dueAt(id: string): Promise<Date> {
  const { history } = await get(id);
  return new Date(history.next_run ?? '');
}

describe('POST /agent/schedules (interface.md 4.3)', () => {
  it('answers the schedule with its next run', async () => {
    const created = await create({
      agent_config: { model_id: 'good' },
      metadata: { team: 'core' },
      mode: 'plan',
    });
    expect(created).toMatchObject({
      name: 'nightly',
      enabled: true,
      prompt: 'Tidy up',
      mode: 'plan',
      agent_config: { model_id: 'good' },
      metadata: { team: 'core' },
      history: { last_ran: null },
    });
    const next = new Date(created.history.next_run ?? '');
    expect([next.getUTCHours(), next.getUTCMinutes()]).toEqual([3, 0]);
    expect(next.getTime()).toBeGreaterThan(Date.now());
    expect(next.getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000);
    expect(await get(created.id)).toEqual(created);
  });

  it.each([
    ['a bad cron field', { cron_schedule: '0 25 * * *' }, 'cron_schedule', /hour field "25"/],
    ['a cron that never fires', { cron_schedule: '0 0 31 2 *' }, 'cron_schedule', /never fires/],
    ['a blank prompt and no skill', { prompt: '  ' }, 'prompt', /is needed/],
    ['no name', { name: undefined }, 'name', /./],
    [
      'a disabled model',
      { agent_config: { model_id: 'old' } },
      'agent_config.model_id',
      /ADMIN_DISABLED/,
    ],
    [
      'an unknown harness',
      { agent_config: { harness: { type: 'none' } } },
      'agent_config.harness.type',
      /not available/,
    ],
  ])('refuses %s, naming the field', async (_, fields, field, reason) => {
    const body = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p', ...fields };
    const answer = await service.request('POST', '/agent/schedules', { key, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ field, detail: expect.stringMatching(reason) });
  });

  it.each([
    ['agent', { agent_uid: randomUUID() }, 'agent_uid'],
    [
      'environment',
      { agent_config: { environment_id: 'a'.repeat(22) } },
      'agent_config.environment_id',
    ],
  ])('answers an unknown %s as a run does that names it', async (_, fields, field) => {
    const body = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p', ...fields };
    const answer = await service.request('POST', '/agent/schedules', { key, body });
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ field })]);
  });

  it('takes a skill in place of a prompt', async () => {
    const config = { skill_spec: 'acme/web:tidy' };
    const created = await create({ prompt: undefined, agent_config: config });
    expect(created).toMatchObject({ prompt: '', agent_config: config });
  });
});

describe('GET /agent/schedules (interface.md 4.3)', () => {
  it('is sorted alphabetically, and by team', async () => {
    const other = await service.personalKey('sorted', 'sorter');
    for (const name of ['beta', 'Alpha', 'gamma'])
      await service.request('POST', '/agent/schedules', {
        key: other,
        body: { name, cron_schedule: '0 3 * * *', prompt: 'p' },
      });
    const answer = await service.request('GET', '/agent/schedules', { key: other });
    expect(await answer.json()).toMatchObject({
      schedules: [{ name: 'Alpha' }, { name: 'beta' }, { name: 'gamma' }],
    });
  });
});

describe('PUT /agent/schedules/{scheduleId} (interface.md 4.3)', () => {
  it('keeps what a request leaves out, null included, and clears what it sends empty', async () => {
    const agent = await service.request('POST', '/agent/identities', { key, body: { name: 'a' } });
    const { uid } = (await agent.json()) as { uid: string };
    const kept = {
      mode: 'plan',
      agent_uid: uid,
      agent_config: { model_id: 'good', harness: { type: 'oz' } },
      metadata: { a: 'b' },
    };
    const { id } = await create(kept);
    const body = { name: 'weekly', cron_schedule: '0 4 * * 1', prompt: 'Other', enabled: true };
    const put = async (more: object) => {
      const answer = await service.request('PUT', `/agent/schedules/${id}`, {
        key,
        body: { ...body, ...more },
      });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    expect(await put({})).toMatchObject({ ...body, ...kept });
    expect(await put({ mode: null, agent_uid: null, agent_config: null })).toMatchObject({
      ...body,
      ...kept,
    });
    expect(await put({ agent_uid: '' })).not.toHaveProperty('agent_uid');
    expect(await put({ metadata: {}, agent_config: {} })).toMatchObject({
      mode: 'plan',
      metadata: {},
      agent_config: {},
    });
    expect((await dueAt(id)).getUTCHours()).toBe(4);
  });

  it.each(['name', 'cron_schedule', 'enabled', 'prompt'])('requires %s', async (field) => {
    const { id } = await create();
    const body = {
      name: 'n',
      cron_schedule: '0 4 * * 1',
      prompt: 'p',
      enabled: true,
      [field]: undefined,
    };
    const answer = await service.request('PUT', `/agent/schedules/${id}`, { key, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ field });
  });
});

describe('pause, resume, delete (interface.md 4.3)', () => {
  it('pause stops runs until resume, which takes up the cron schedule again', async () => {
    const { id } = await create();
    const at = await dueAt(id);
    const paused = await service.request('POST', `/agent/schedules/${id}/pause`, { key });
    expect(paused.status).toBe(200);
    expect(await paused.json()).toMatchObject({ enabled: false, history: { next_run: null } });
    expect(await fireSchedule(service.service.context, id, at)).toBe('stale');
    const resumed = await service.request('POST', `/agent/schedules/${id}/resume`, { key });
    expect(await resumed.json()).toMatchObject({ enabled: true });
    expect((await dueAt(id)).getTime()).toBeGreaterThan(Date.now());
    expect(await runsOf(id)).toEqual([]);
  });

  it('delete stops all future runs; past runs stay', async () => {
    const { id } = await create({ cron_schedule: '* * * * *' });
    await fire(id, await makeDue(id, 0));
    const next = await dueAt(id);
    const answer = await service.request('DELETE', `/agent/schedules/${id}`, { key });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ success: true });
    expect((await service.request('GET', `/agent/schedules/${id}`, { key })).status).toBe(404);
    expect(await fireSchedule(service.service.context, id, next)).toBe('stale');
    expect(await runsOf(id)).toHaveLength(1);
  });
});

describe('a firing', () => {
  it('is one run with its source, schedule, creator and metadata', async () => {
    const { id } = await create({ cron_schedule: '* * * * *', metadata: { a: 'b' } });
    await fire(id, await makeDue(id, 0));
    const runs = await runsOf(id);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      source: 'SCHEDULED_AGENT',
      schedule: { schedule_id: id, schedule_name: 'nightly', cron_schedule: '* * * * *' },
      prompt: 'Tidy up',
      metadata: { a: 'b' },
      creator: { type: 'user' },
    });
    const { history } = await get(id);
    expect(Date.parse(history.last_ran ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('is one run however many nodes and deliveries there are', async () => {
    const second = await startTestService({ databaseUrl: service.databaseUrl, config: CONFIG });
    try {
      const { id } = await create({ cron_schedule: '* * * * *' });
      const at = await makeDue(id, 0);
      const nodes = [service.service.context, second.service.context];
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          fireSchedule(nodes[index % 2] ?? service.service.context, id, at),
        ),
      );
      await fire(id, at);
      expect(await runsOf(id)).toHaveLength(1);
    } finally {
      await second.close();
    }
  });

  it('that is refused says why and never blocks the next', async () => {
    const { id } = await create({ cron_schedule: '* * * * *' });
    const { db } = service.service.context;
    const setModel = (model: string) =>
      db
        .updateTable('schedules')
        .set({ config: JSON.stringify({ model_id: model }) })
        .where('id', '=', id)
        .execute();
    await setModel('old');
    await fire(id, await makeDue(id, 0));
    expect(await runsOf(id)).toEqual([]);
    const refused = await get(id);
    expect(refused.last_spawn_error).toMatch(/ADMIN_DISABLED/);
    expect(Date.parse(refused.history.next_run ?? '')).toBeGreaterThan(Date.now());
    await setModel('good');
    await fire(id, await makeDue(id, 0));
    expect((await get(id)).last_spawn_error).toBeNull();
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('comes by its job as soon as it is due, many at once and past one that fails', async () => {
    const { context } = service.service;
    const made = await Promise.all(Array.from({ length: 20 }, () => create()));
    const at = new Date(Date.now() + 300);
    await context.db.transaction().execute(async (trx) => {
      for (const [index, { id }] of made.entries()) {
        const cron_schedule = index === 0 ? 'not a cron' : '* * * * *';
        const set = { next_run: at, cron_schedule };
        await trx.updateTable('schedules').set(set).where('id', '=', id).execute();
        await sendFiring(context, trx, id, at);
      }
    });
    const [broken, ...others] = made.map(({ id }) => id);
    await vi.waitFor(
      async () => {
        for (const id of others) expect(await runsOf(id)).toHaveLength(1);
      },
      { timeout: 60_000 },
    );
    await context.db
      .deleteFrom('schedules')
      .where('id', '=', broken ?? '')
      .execute();
  });

  it('that has to wait for something holds up no other', async () => {
    const { context } = service.service;
    const slow = await create({ prompt: undefined, agent_config: { skill_spec: 'acme/web:tidy' } });
    const [quick, later] = [await create(), await create()];
    const at = new Date(Date.now() + 300);
    const due = async (schedule: Schedule, when: Date): Promise<void> => {
      const { id } = schedule;
      const set = { next_run: when, cron_schedule: '* * * * *' };
      await context.db.transaction().execute(async (trx) => {
        await trx.updateTable('schedules').set(set).where('id', '=', id).execute();
        await sendFiring(context, trx, id, when);
      });
    };
    await Promise.all([due(slow, at), due(quick, at)]);
    await vi.waitFor(async () => expect(await runsOf(quick.id)).toHaveLength(1), {
      timeout: 60_000,
    });
    await due(later, new Date());
    // Sooner than the sweep would find it.
    await vi.waitFor(async () => expect(await runsOf(later.id)).toHaveLength(1), { timeout: 4900 });
    expect(await get(slow.id)).toMatchObject({
      history: { next_run: at.toISOString() },
      last_spawn_error: null,
    });
  });

  it('by hand is among its runs, but not if another team names it', async () => {
    const made = await create();
    const other = await service.personalKey('others');
    for (const asker of [key, other]) {
      const body = requestOfSchedule(made);
      expect((await service.request('POST', '/agent/runs', { key: asker, body })).status).toBe(200);
    }
    expect(await runsOf(made.id)).toMatchObject([
      { source: 'API', schedule: { schedule_id: made.id, schedule_name: 'nightly' } },
    ]);
    const answer = await service.request('GET', '/agent/runs', { key: other });
    const { runs } = listRunsResponse.parse(await answer.json());
    expect(runs.map((run) => run.schedule)).toEqual(runs.map(() => undefined));
  });

  it('comes by the sweep when its job is lost, past one that cannot be fired', async () => {
    const broken = await create({ cron_schedule: '* * * * *' });
    const { id } = await create({ cron_schedule: '* * * * *' });
    const { db } = service.service.context;
    await makeDue(broken.id, 2);
    await makeDue(id, 1);
    const cron = { cron_schedule: 'not a cron' };
    await db.updateTable('schedules').set(cron).where('id', '=', broken.id).execute();
    await sweepSchedules(service.service.context);
    await vi.waitFor(async () => expect(await runsOf(id)).toHaveLength(1), 30_000);
    await db.deleteFrom('schedules').where('id', '=', broken.id).execute();
  });
});

describe('firings missed in a downtime (docs/api.md)', () => {
  it('are made up for by one run when the newest is at most missed_firing old', async () => {
    const { id } = await create({ cron_schedule: '*/30 * * * *' });
    await fire(id, await makeDue(id, 95));
    expect(await runsOf(id)).toHaveLength(1);
    expect((await dueAt(id)).getTime()).toBeGreaterThan(Date.now());
  });

  it('are skipped when even the newest is older', async () => {
    const hour = (new Date().getUTCHours() + 20) % 24;
    const { id } = await create({ cron_schedule: `0 ${hour} * * *` });
    await fire(id, await makeDue(id, 3 * 24 * 60));
    expect(await runsOf(id)).toEqual([]);
    expect(await get(id)).toMatchObject({ last_spawn_error: null, history: { last_ran: null } });
    expect((await dueAt(id)).getTime()).toBeGreaterThan(Date.now());
  });
});
