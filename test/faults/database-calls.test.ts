import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { LEASE_HEADER } from '../../src/contract/lease.ts';
import { fireSchedule } from '../../src/service/schedules/fire-schedule.ts';
import { dispatchJudges } from '../../src/service/scores/dispatch-judges.ts';
import { sweepLeases } from '../../src/service/sweep/sweep-leases.ts';
import { openBareService, type Answer } from '../support/bare-service.ts';
import { cutConnections } from '../support/cut-connections.ts';
import { halfWritten } from '../support/half-written.ts';

/** More statements than any of these operations makes. */
const STATEMENTS_MAX = 40;
/** The short run looks at every fourth statement, beginning with another one in each case. */
const STRIDE = process.env['RUNLINK_TEST_LONG'] === undefined ? 4 : 1;

const bare = await openBareService({
  scorers: [{ id: 7, name: 'quality', prompt: 'Good?', labels: ['good', 'bad'] }],
});
const { service, workerKey, ask, create, claim, report, claimed, run, count } = bare;
afterAll(() => bare.close());

const END = { state: 'SUCCEEDED', message: 'done', last_signal: 0 };

/**
 * Something done to the service, the answers it may get when said again, and what must be true
 * then.
 */
interface Case {
  act: () => Promise<Answer>;
  again: number[];
  check: () => Promise<void>;
}

/** Work of the service's own duties, as if it were a request. */
async function duty(work: () => Promise<unknown>): Promise<Answer> {
  try {
    await work();
    return { status: 200, body: {} };
  } catch {
    return { status: 503, body: {} };
  }
}

const schedule = { name: 'n', cron_schedule: '* * * * *', prompt: 'p', enabled: true };
const createdSchedule = async (): Promise<string> =>
  String((await ask('POST', '/agent/schedules', { body: schedule })).body['id']);

const CASES: Record<string, () => Promise<Case>> = {
  'a run is created': async () => {
    const title = randomUUID();
    const body = { prompt: 'p', title, metadata: { a: 'b', c: 'd' } };
    return {
      act: () => ask('POST', '/agent/runs', { body, headers: { 'idempotency-key': title } }),
      again: [200],
      check: async () =>
        expect(await count('select count(*) from runs where title = $1', [title])).toBe(1),
    };
  },
  'a queued run is cancelled': async () => {
    const id = await create();
    return {
      act: () => ask('POST', `/agent/runs/${id}/cancel`),
      again: [200, 400],
      check: async () => expect((await run(id)).state).toBe('CANCELLED'),
    };
  },
  'a working run is cancelled': async () => {
    const { run_id: id } = await claimed({ pool: true });
    return {
      act: () => ask('POST', `/agent/runs/${id}/cancel`),
      again: [200, 400],
      check: async () => expect((await run(id)).state).toBe('CANCELLED'),
    };
  },
  'a queued run is followed up': async () => {
    const id = await create();
    const asked = { body: { message: 'more' }, headers: { 'idempotency-key': id } };
    return {
      act: () => ask('POST', `/agent/runs/${id}/followups`, asked),
      again: [200],
      check: async () => expect((await run(id)).prompt).toBe('p\n\nmore'),
    };
  },
  'an ended run is followed up': async () => {
    const lease = await claimed();
    await report(lease, 'complete', END);
    const asked = { body: { message: 'more' }, headers: { 'idempotency-key': lease.run_id } };
    return {
      act: () => ask('POST', `/agent/runs/${lease.run_id}/followups`, asked),
      again: [200],
      check: async () => {
        const followups = 'select count(*) from run_followups where run_id = $1';
        expect(await count(followups, [lease.run_id])).toBe(1);
        expect((await run(lease.run_id)).state).toBe('QUEUED');
      },
    };
  },
  'an artifact is reported': async () => {
    const id = await create();
    const data = { reference_type: 'ticket', url: `https://tracker.example/${id}` };
    const body = { artifact_type: 'EXTERNAL_REFERENCE', data };
    const headers = { 'x-warp-cloud-agent-id': id };
    return {
      act: () => ask('POST', '/harness-support/report-artifact', { body, headers }),
      again: [200],
      check: async () => expect((await run(id)).artifacts).toHaveLength(1),
    };
  },
  'a caller ends its own run': async () => {
    const headers = { 'x-oz-api-source': 'LOCAL' };
    const made = await ask('POST', '/agent/runs', { body: { prompt: 'p' }, headers });
    const id = String(made.body['run_id']);
    const body = { success: true, summary: 's' };
    const named = { 'x-warp-cloud-agent-id': id };
    return {
      act: () => ask('POST', '/harness-support/finish-task', { body, headers: named }),
      again: [204],
      check: async () => expect((await run(id)).state).toBe('SUCCEEDED'),
    };
  },
  'a run is claimed': async () => {
    const host = randomUUID();
    const id = await create({ config: { worker_host: host } });
    return {
      act: () => claim(host),
      again: [200],
      check: async () => expect((await run(id)).state).toBe('PENDING'),
    };
  },
  'a claim is acknowledged': async () => {
    const lease = await claimed({ begun: false });
    return {
      act: () => report(lease, 'acknowledge'),
      again: [200],
      check: async () => expect((await run(lease.run_id)).state).toBe('INPROGRESS'),
    };
  },
  'a claim is given back': async () => {
    const lease = await claimed({ begun: false });
    return {
      act: () => report(lease, 'release', { reason: 'r' }),
      again: [200, 409],
      check: async () => expect((await run(lease.run_id)).state).toBe('QUEUED'),
    };
  },
  'a lease is renewed': async () => {
    const lease = await claimed();
    return {
      act: () => report(lease, 'heartbeat', {}),
      again: [200],
      check: async () => expect((await run(lease.run_id)).state).toBe('INPROGRESS'),
    };
  },
  'events are logged': async () => {
    const lease = await claimed();
    const at = new Date().toISOString();
    const events = [
      { seq: 1, at, type: 'agent_started', harness: 'demo' },
      { seq: 2, at, type: 'plan', entries: [{ content: 'x', status: 'pending' }] },
    ];
    return {
      act: () => report(lease, 'events', { events }),
      again: [200],
      check: async () => {
        const logged = `select count(*) from run_events where run_id = $1 and seq is not null`;
        expect(await count(logged, [lease.run_id])).toBe(2);
      },
    };
  },
  'a file is stored': async () => {
    const lease = await claimed();
    const path = `/worker/runs/${lease.run_id}/artifacts?filepath=a.txt&mime_type=text/plain`;
    const headers = {
      [LEASE_HEADER]: lease.token,
      'content-type': 'text/plain',
      'content-length': '7',
    };
    return {
      act: () => ask('POST', path, { as: workerKey, headers, raw: 'content' }),
      again: [200],
      check: async () => expect((await run(lease.run_id)).artifacts).toHaveLength(1),
    };
  },
  'an execution ends': async () => {
    const lease = await claimed();
    return {
      act: () => report(lease, 'complete', END),
      again: [200],
      check: async () => {
        const endings = `select count(*) from run_events where run_id = $1 and data ->> 'event_type' = 'oz_run_done'`;
        expect(await count(endings, [lease.run_id])).toBe(1);
      },
    };
  },
  'a lapsed lease is taken back': async () => {
    const lease = await claimed();
    const late = `update runlink_jobs.job set heartbeat_on = now() - interval '31 s' where data ->> 'runId' = $1 and state = 'active'`;
    await service.context.database.pool.query(late, [lease.run_id]);
    return {
      act: () => duty(() => sweepLeases(service.context)),
      again: [200],
      check: async () => expect((await run(lease.run_id)).state).toBe('ERROR'),
    };
  },
  'judges are sent': async () => {
    const lease = await claimed();
    await report(lease, 'complete', END);
    return {
      act: () => duty(() => dispatchJudges(service.context, lease.run_id, 1)),
      again: [200],
      check: async () => {
        const judges = `select count(*) from runs where metadata ->> 'runlink.scored_run' = $1`;
        expect(await count(judges, [lease.run_id])).toBe(1);
      },
    };
  },
  'a judge scores': async () => {
    const scored = await claimed();
    await report(scored, 'complete', END);
    await dispatchJudges(service.context, scored.run_id, 1);
    let judge = (await claim()).body.lease;
    while (judge && !judge.prompt.includes(scored.run_id)) judge = (await claim()).body.lease;
    const body = { results: [{ scorer_id: 7, classification: 'good', reason: 'r' }] };
    const path = `/agent/runs/${scored.run_id}/scores`;
    return {
      act: () => ask('POST', path, { as: judge?.run_key ?? '', body }),
      again: [200],
      check: async () =>
        expect((await ask('GET', path)).body['scores']).toMatchObject([{ classification: 'good' }]),
    };
  },
  'a schedule is created': async () => ({
    act: () => ask('POST', '/agent/schedules', { body: schedule }),
    again: [201],
    check: async () => {},
  }),
  'a schedule is replaced': async () => {
    const id = await createdSchedule();
    const body = { ...schedule, name: 'other', cron_schedule: '0 3 * * *' };
    return {
      act: () => ask('PUT', `/agent/schedules/${id}`, { body }),
      again: [200],
      check: async () =>
        expect((await ask('GET', `/agent/schedules/${id}`)).body).toMatchObject({ name: 'other' }),
    };
  },
  'a schedule is paused and resumed': async () => {
    const id = await createdSchedule();
    return {
      act: async () => {
        const paused = await ask('POST', `/agent/schedules/${id}/pause`);
        return paused.status === 200 ? ask('POST', `/agent/schedules/${id}/resume`) : paused;
      },
      again: [200],
      check: async () =>
        expect((await ask('GET', `/agent/schedules/${id}`)).body).toMatchObject({ enabled: true }),
    };
  },
  'a schedule fires': async () => {
    const id = await createdSchedule();
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 1000);
    const due = 'update schedules set next_run = $2 where id = $1';
    await service.context.database.pool.query(due, [id, at]);
    return {
      act: () => duty(() => fireSchedule(service.context, id, at)),
      again: [200],
      check: async () =>
        expect(await count('select count(*) from runs where schedule_id = $1', [id])).toBe(1),
    };
  },
  'an agent is deleted with its keys': async () => {
    const { body } = await ask('POST', '/agent/identities', { body: { name: 'n' } });
    const uid = String(body['uid']);
    return {
      act: () => ask('DELETE', `/agent/identities/${uid}`),
      again: [204, 404],
      check: async () => expect((await ask('GET', `/agent/identities/${uid}`)).status).toBe(404),
    };
  },
};

describe('the connection to the database breaks after the n-th statement, while', () => {
  const cases = Object.entries(CASES).map(([name, prepare], index) => ({ name, prepare, index }));

  it.each(cases)('$name: nothing is half done, and saying it again does it', async (tested) => {
    const cutAt = cutConnections();
    const whole = async (place: object): Promise<void> =>
      expect({ ...place, half: await halfWritten(service.context.db) }).toEqual({
        ...place,
        half: [],
      });
    for (let at = 1 + (tested.index % STRIDE); at <= STATEMENTS_MAX; at += STRIDE) {
      const { act, again, check } = await tested.prepare();
      const { answer, statements } = await cutAt(at, act);
      expect([503, ...again]).toContain(answer.status);
      await whole({ at, answer });
      const repeated = await act();
      expect({ at, repeated, isGood: again.includes(repeated.status) }).toMatchObject({
        isGood: true,
      });
      await check();
      await whole({ at, repeated });
      if (statements < at) return;
    }
    throw new Error(`more than ${STATEMENTS_MAX} statements`);
  });
});
