import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunExecution, RunItem } from '../../src/contract/run.ts';
import { sweepLeases } from '../../src/service/sweep/sweep-leases.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(() => startTestService()));
});
afterAll(() => service.close());

const followUp = (id: string, message: string) =>
  runs.ask('POST', `/agent/runs/${id}/followups`, { message });
const cancel = (id: string) => runs.ask('POST', `/agent/runs/${id}/cancel`);
const last = (run: RunItem): RunExecution | undefined => run.executions.at(-1);

/** Claims and begins this run and no other, as this worker. */
async function begin(id: string, workerId = 'w1') {
  const lease = await runs.claim({ workerId });
  if (lease?.run_id !== id) throw new Error('another run was next');
  await runs.report(lease, 'acknowledge');
  return lease;
}

async function execute(id: string, state: string, workerId?: string): Promise<void> {
  const lease = await begin(id, workerId);
  await runs.complete(lease, state);
}

/** Has the time of the run's past lie so much earlier. */
async function age(id: string, interval: string): Promise<void> {
  const { pool } = service.service.context.database;
  for (const [table, key, columns] of [
    ['executions', 'run_id', ['queued_at', 'started_at', 'ended_at']],
    ['runs', 'id', ['queued_at', 'started_at', 'finished_at', 'created_at']],
  ] as const)
    await pool.query(
      `update ${table} set ${columns.map((name) => `${name} = ${name} - $2::interval`).join()} where ${key} = $1`,
      [id, interval],
    );
}

describe('executions (run-lifecycle.md, "Executions")', () => {
  it('begin with the creation of the run, and are told as they go', async () => {
    const id = await runs.create();
    const waiting = await runs.get(id);
    const none = { started_at: null, ended_at: null, outcome: null };
    expect(waiting).toMatchObject({ started_at: null, finished_at: null });
    expect(waiting).not.toHaveProperty('run_time');
    expect(waiting.executions).toEqual([
      { execution_id: 1, queued_at: waiting.created_at, ...none },
    ]);
    const lease = await begin(id, 'worker-a');
    const at = new Date().toISOString();
    const events = [
      { seq: 1, at, type: 'agent_started', harness: 'codex' },
      { seq: 2, at, type: 'usage', usage: { total_tokens: 5 } },
    ];
    await runs.report(lease, 'events', { events });
    const working = await runs.get(id);
    expect(working.executions).toEqual([
      {
        execution_id: 1,
        queued_at: waiting.created_at,
        started_at: working.started_at,
        ended_at: null,
        outcome: null,
        worker_id: 'worker-a',
        harness: 'codex',
        usage: { total_tokens: 5 },
      },
    ]);
    await runs.report(lease, 'complete', {
      state: 'FAILED',
      message: 'no luck',
      error_code: 'environment_setup_failed',
      usage: { total_tokens: 7 },
      last_signal: 0,
    });
    const ended = await runs.get(id);
    expect(last(ended)).toEqual({
      ...last(working),
      ended_at: ended.finished_at,
      outcome: 'FAILED',
      status_message: { message: 'no luck', error_code: 'environment_setup_failed' },
      usage: { total_tokens: 7 },
    });
  });

  it('keep their own times, workers, outcomes and use; the time between two is no work', async () => {
    const id = await runs.create();
    await execute(id, 'SUCCEEDED', 'first');
    const { pool } = service.service.context.database;
    await pool.query(
      `update executions set started_at = ended_at - interval '90 s', usage = '{"total_tokens": 10}' where run_id = $1`,
      [id],
    );
    await age(id, '3 days');
    const before = await runs.get(id);
    expect(before.run_time).toBe('PT1M30S');
    await followUp(id, 'more');
    const lease = await begin(id, 'second');
    await runs.report(lease, 'complete', {
      state: 'BLOCKED',
      message: 'which one?',
      usage: { total_tokens: 25 },
      last_signal: 0,
    });
    await pool.query(
      `update executions set started_at = ended_at - interval '30 s' where run_id = $1 and number = 2`,
      [id],
    );
    const run = await runs.get(id);
    expect(run).toMatchObject({ started_at: before.started_at, run_time: 'PT2M' });
    expect(run.executions).toMatchObject([
      { execution_id: 1, outcome: 'SUCCEEDED', worker_id: 'first', usage: { total_tokens: 10 } },
      { execution_id: 2, outcome: 'BLOCKED', worker_id: 'second', usage: { total_tokens: 15 } },
    ]);
    expect(Date.parse(run.executions[1]?.queued_at ?? '')).toBeGreaterThan(
      Date.parse(run.executions[0]?.ended_at ?? '') + 2 * 86_400_000,
    );
    const listed = await runs.ask<{ runs: RunItem[] }>('GET', '/agent/runs?limit=1');
    expect(listed.body.runs[0]).toEqual(run);
  });

  it('that are cancelled in the queue have no time of their own, and leave the one before as it was', async () => {
    const id = await runs.create();
    await execute(id, 'FAILED');
    await age(id, '3 days');
    const before = await runs.get(id);
    await followUp(id, 'again');
    await cancel(id);
    const run = await runs.get(id);
    expect(run).toMatchObject({ state: 'CANCELLED', run_time: before.run_time });
    expect(run.executions[0]).toEqual(before.executions[0]);
    expect(run.executions[0]?.status_message).toEqual({ message: 'FAILED' });
    expect(last(run)).toMatchObject({
      execution_id: 2,
      started_at: null,
      ended_at: run.finished_at,
      outcome: 'CANCELLED',
      status_message: { message: 'The run was cancelled.' },
    });
    await followUp(id, 'once more');
    const third = await begin(id);
    expect(last(await runs.get(id))).toMatchObject({ execution_id: 3, ended_at: null });
    await runs.complete(third, 'SUCCEEDED');
  });
});

describe('executions that are not claimed, lost or reported by their caller', () => {
  it('are one while claims come to nothing, waiting since it was first queued', async () => {
    const id = await runs.create();
    const { queued_at } = last(await runs.get(id)) ?? {};
    const lease = await runs.claim();
    if (!lease) throw new Error('nothing to claim');
    await runs.report(lease, 'release', { reason: 'full disk' });
    expect((await runs.get(id)).executions).toMatchObject([{ execution_id: 1, queued_at }]);
    await execute(id, 'SUCCEEDED', 'another');
    expect((await runs.get(id)).executions).toMatchObject([
      { execution_id: 1, queued_at, worker_id: 'another', outcome: 'SUCCEEDED' },
    ]);
  });

  it('end with the lease that was lost, and count what a cancelled run’s worker still reports', async () => {
    const lost = await runs.create();
    const lease = await begin(lost);
    const { context } = service.service;
    await context.database.pool.query(
      `update runlink_jobs.job set heartbeat_on = now() - interval '1 hour' where data ->> 'runId' = $1`,
      [lost],
    );
    await sweepLeases(context);
    expect(last(await runs.get(lost))).toMatchObject({ outcome: 'ERROR' });
    expect((await runs.complete(lease, 'SUCCEEDED')).status).toBe(409);

    const stopped = await runs.create();
    const held = await begin(stopped);
    await cancel(stopped);
    const said = {
      seq: 1,
      at: new Date().toISOString(),
      type: 'usage',
      usage: { total_tokens: 3 },
    };
    expect((await runs.report(held, 'events', { events: [said] })).status).toBe(200);
    const { executions } = await runs.get(stopped);
    expect(executions).toMatchObject([{ outcome: 'CANCELLED', usage: { total_tokens: 3 } }]);
    const { rows } = await context.database.pool.query(
      'select usage from executions where run_id = $1',
      [stopped],
    );
    expect(rows).toEqual([{ usage: { total_tokens: 3 } }]);
  });

  it('of one that its caller executes begin when it was made', async () => {
    const { body } = await runs.ask<{ run_id: string }>(
      'POST',
      '/agent/runs',
      { prompt: 'p' },
      { 'X-Oz-Api-Source': 'LOCAL' },
    );
    await runs.ask(
      'POST',
      '/harness-support/finish-task',
      { success: true, summary: 'done' },
      { 'X-Warp-Cloud-Agent-ID': body.run_id },
    );
    const run = await runs.get(body.run_id);
    expect(run.executions).toMatchObject([
      { started_at: run.created_at, ended_at: run.finished_at, outcome: 'SUCCEEDED' },
    ]);
  });
});
