import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunWaiting } from '../../src/contract/run.ts';
import type { TimelineEvent } from '../../src/contract/timeline.ts';
import { sweepQueue } from '../../src/service/sweep/sweep-queue.ts';
import { driveRuns, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const WEB = 'Web0000000000000000000';
const API = 'Api0000000000000000000';
const ENVIRONMENTS = [
  { id: WEB, name: 'web', link_sharing: true },
  { id: API, name: 'api', link_sharing: true },
];
let service: TestService;
let turn = 0;

beforeAll(async () => {
  service = await startTestService({
    config: { environments: ENVIRONMENTS, limits: { queue_age: '1h' } },
  });
});
afterAll(() => service.close());

/** A team of its own, so that nobody else stands in line. */
async function newTeam(): Promise<{ runs: RunDriver }> {
  turn += 1;
  const key = await service.personalKey(`team${turn}`, `owner${turn}`);
  const workerKey = await service.workerKey(`team${turn}`);
  return { runs: driveRuns(service, key, workerKey) };
}

const waitingOf = async (runs: RunDriver, id: string): Promise<RunWaiting | undefined> =>
  (await runs.get(id)).waiting;

const timelineOf = async (runs: RunDriver, id: string): Promise<TimelineEvent[]> =>
  (await runs.ask<{ events: TimelineEvent[] }>('GET', `/agent/runs/${id}/timeline`)).body.events;

describe('a run that waits says why (run-lifecycle.md, "Workers")', () => {
  it('that no worker is connected, or none of its host since when', async () => {
    const { runs } = await newTeam();
    const any = await runs.create();
    expect(await waitingOf(runs, any)).toEqual({
      reason: 'no_worker',
      message: 'No worker was connected so far.',
    });
    const own = await runs.create({ config: { worker_host: 'gpu-box' } });
    const gone = new Date(Date.now() - 600_000);
    await runs
      .claim({ workerId: 'w', host: 'gpu-box' })
      .then((lease) => (lease ? runs.report(lease, 'release', { reason: 'no room' }) : undefined));
    await service.service.context.db
      .updateTable('workers')
      .set({ last_seen_at: gone })
      .where('worker_host', '=', 'gpu-box')
      .execute();
    const minute = gone.toISOString().slice(0, 16).replace('T', ' ');
    expect(await waitingOf(runs, own)).toEqual({
      reason: 'no_worker',
      message: `No worker named "gpu-box" was connected since ${minute} UTC.`,
    });
  });

  it('that no connected worker offers its agent', async () => {
    const { runs } = await newTeam();
    const id = await runs.create({ config: { harness: { type: 'codex' } } });
    const other = await runs.create();
    expect((await runs.claim())?.run_id).toBe(other);
    expect(await waitingOf(runs, id)).toEqual({
      reason: 'no_harness',
      message: 'No connected worker offers "codex".',
    });
    expect(await runs.claim()).toBeNull();
    expect((await runs.claim({ workerId: 'w2', harnesses: ['codex'] }))?.run_id).toBe(id);
  });

  it('that the connected workers are for other environments', async () => {
    const { runs } = await newTeam();
    const plain = await runs.create();
    const api = await runs.create({ config: { environment_id: API } });
    const web = await runs.create({ config: { environment_id: WEB } });
    expect((await runs.claim({ environment: 'web' }))?.run_id).toBe(web);
    const wait = async (id: string) => (await waitingOf(runs, id))?.message;
    expect(await wait(plain)).toBe('No connected worker takes runs without an environment.');
    expect(await wait(api)).toBe('No connected worker takes runs in "api".');
    const next = await runs.create({ config: { environment_id: WEB } });
    expect(await wait(next)).toMatch(/ in line for 1 worker,/);
    expect((await runs.claim({ workerId: 'w2' }))?.run_id).toBe(plain);
    expect(await wait(api)).toMatch(/ in line for 1 worker,/);
    expect(await wait(next)).toMatch(/ in line for 2 workers,/);
  });

  it('its place in line and how many workers have room', async () => {
    const { runs } = await newTeam();
    const [first, second] = [await runs.create(), await runs.create()];
    await runs.claim();
    expect(await waitingOf(runs, first)).toBeUndefined();
    expect(await waitingOf(runs, second)).toEqual({
      reason: 'in_line',
      message: 'Number 1 in line for 1 worker, 1 with room.',
    });
    const elsewhere = await runs.create({ config: { harness: { type: 'demo' } } });
    expect((await waitingOf(runs, elsewhere))?.message).toMatch(/^Number 1 in line/);
    const workers = () => service.service.context.db.updateTable('workers');
    await workers().set({ slots: 1 }).execute();
    expect((await waitingOf(runs, second))?.message).toMatch(/1 worker, none with room/);
    await workers().set({ slots: null }).execute();
    const third = await runs.create();
    await service.service.context.db.updateTable('workers').set({ capacity: 0 }).execute();
    expect((await waitingOf(runs, third))?.message).toBe(
      'Number 2 in line for 1 worker, none with room.',
    );
  });

  it('at the end of its timeline, and not that it was started', async () => {
    const { runs } = await newTeam();
    const id = await runs.create();
    const events = await timelineOf(runs, id);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'oz_run_created',
      'oz_run_waiting',
    ]);
    expect(events[1]).toMatchObject({ payload: { reason: 'no_worker' }, execution_id: 1 });
    await runs.begin();
    const types = (await timelineOf(runs, id)).map(({ event_type }) => event_type);
    expect(types).not.toContain('oz_run_waiting');
  });

  it('when it fails at its limit because its worker never came', async () => {
    const { runs } = await newTeam();
    const id = await runs.create({ config: { worker_host: 'never' } });
    const { context } = service.service;
    await context.db
      .updateTable('runs')
      .set({ queued_at: new Date(Date.now() - 2 * 3_600_000) })
      .where('id', '=', id)
      .execute();
    await sweepQueue(context);
    const run = await runs.get(id);
    expect(run).toMatchObject({
      state: 'FAILED',
      status_message: {
        message: expect.stringContaining(
          'No worker of host "never" took the run within 1h. No worker named "never" was connected so far.',
        ),
      },
    });
    expect(run.waiting).toBeUndefined();
  });
});
