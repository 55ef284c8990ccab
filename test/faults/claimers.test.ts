import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { serveHttp } from '../../src/service/http/serve-http.ts';
import { killMarked } from '../../src/worker/sandbox/process-marker.ts';
import type { ClaimerOptions, Confirmed } from '../support/claimer-process.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { programFile } from '../support/programs.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const RUNS = isLong ? 1000 : 40;
const PROCESSES = 4;
const CLAIMERS_EACH = 2;
/** A process is killed after about this many ends. */
const KILL_EVERY = isLong ? 40 : 10;
const WITHIN_MS = isLong ? 15 * 60_000 : 60_000;

const CLAIMER = programFile('test/support/claimer-process.ts');
const WORKER = programFile('test/support/worker-process.ts');

let service: TestService;
let runs: RunDriver;
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() =>
    startTestService({ config: { harnesses: FAKE_HARNESSES } }),
  ));
});
afterAll(() => service.close());

const query = async <T extends object>(text: string, values: unknown[]): Promise<T[]> =>
  (await service.service.context.database.pool.query<T>(text, values)).rows;

/** Has what a silent worker holds look as old as half a minute later. */
async function ageLeases(workerIds: readonly string[]): Promise<void> {
  await query(
    `update runlink_jobs.job j set heartbeat_on = now() - interval '31 s', started_on = now() - interval '31 s'
     from runs r where j.name = 'runs' and j.state = 'active' and j.id = r.job_id and r.lease_worker = any($1)`,
    [workerIds],
  );
}

/** Claimers in several processes, one of which is killed and replaced now and then. */
function startClaimers(): { confirmed: Confirmed[]; silent: string[]; stop: () => void } {
  const confirmed: Confirmed[] = [];
  const silent: string[] = [];
  const children: ChildProcess[] = [];
  let started = 0;
  const start = (slot: number): void => {
    const options: ClaimerOptions = {
      baseUrl: service.baseUrl,
      key: workerKey,
      name: `claimer-${started++}`,
      claimers: CLAIMERS_EACH,
    };
    const child = fork(CLAIMER, [JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children[slot] = child;
    child.once('exit', () => {
      for (let index = 0; index < CLAIMERS_EACH; index += 1)
        silent.push(`${options.name}-${index}`);
    });
    child.on('message', (message) => {
      confirmed.push(message as Confirmed);
      if (confirmed.length % KILL_EVERY === 0) replace(Math.floor(Math.random() * PROCESSES));
    });
  };
  const replace = (slot: number): void => {
    children[slot]?.kill('SIGKILL');
    start(slot);
  };
  for (let slot = 0; slot < PROCESSES; slot += 1) start(slot);
  const stop = (): void => children.forEach((child) => child.kill('SIGKILL'));
  onTestFinished(stop);
  return { confirmed, silent, stop };
}

interface Ended {
  id: string;
  state: string;
  ended_attempt: number;
  endings: number;
  twice: number;
  jobs: number;
}

/**
 * How each run ended: its endings in all, attempts with more than one claim or ending, jobs still
 * open.
 */
const ENDED = `
  select r.id, r.state, r.ended_attempt,
    (select count(*) from run_events e where e.run_id = r.id and e.type = 'lifecycle'
      and e.data ->> 'event_type' in ('oz_run_done', 'oz_run_failed', 'oz_run_errored', 'oz_run_blocked', 'oz_run_cancelled'))::int as endings,
    (select count(*) from (
      select 1 from run_events e where e.run_id = r.id and e.type = 'lifecycle'
        and e.data ->> 'event_type' in ('oz_run_claimed', 'oz_run_done', 'oz_run_errored')
      group by e.attempt, e.data ->> 'event_type' having count(*) > 1) x)::int as twice,
    (select count(*) from runlink_jobs.job j where j.name = 'runs' and j.data ->> 'runId' = r.id::text
      and j.state < 'completed')::int as jobs
  from runs r where r.id = any($1)`;

describe('claimers in four processes, killed at random', () => {
  it(
    `end each of ${RUNS} runs in exactly one state, complete no attempt twice and lose none`,
    async () => {
      const ids: string[] = [];
      for (let made = 0; made < RUNS; made += 20)
        ids.push(...(await Promise.all(Array.from({ length: 20 }, () => runs.create()))));
      const { confirmed, silent, stop } = startClaimers();
      await vi.waitFor(
        async () => {
          // The long run waits until they are over.
          if (!isLong) await ageLeases(silent);
          const working = await query(
            `select 1 from runs where id = any($1) and state in ('QUEUED', 'PENDING', 'INPROGRESS')`,
            [ids],
          );
          expect(working).toEqual([]);
        },
        { timeout: WITHIN_MS, interval: 500 },
      );
      const killed = silent.length / CLAIMERS_EACH;
      stop();
      const ended = await query<Ended>(ENDED, [ids]);
      expect(ended).toHaveLength(RUNS);
      const byId = new Map(ended.map((run) => [run.id, run]));
      expect(ended.filter(({ state }) => !['SUCCEEDED', 'ERROR'].includes(state))).toEqual([]);
      expect(ended.filter((run) => run.endings !== 1 || run.twice > 0 || run.jobs > 0)).toEqual([]);
      for (const { runId, attempt, state } of confirmed)
        expect(byId.get(runId)).toMatchObject({ state, ended_attempt: attempt });
      expect(killed).toBeGreaterThan(2);
      expect(ended.some(({ state }) => state === 'SUCCEEDED')).toBe(true);
    },
    WITHIN_MS,
  );
});

/**
 * A worker in a process of its own, what it asked for, and each answer it got: its path's end and
 * the status.
 */
async function startRealWorker(dataDir: string) {
  const asked: string[] = [];
  const answers: { action: string; isUnderLease: boolean; status: number }[] = [];
  const watched = await serveHttp(
    async (request) => {
      const action = new URL(request.url).pathname.split('/').at(-1) ?? '';
      asked.push(action);
      const answer = await service.service.fetch(request);
      const isUnderLease = request.headers.has(LEASE_HEADER);
      answers.push({ action, isUnderLease, status: answer.status });
      return answer;
    },
    { host: '127.0.0.1', port: 0 },
  );
  const marker = crypto.randomUUID();
  const child = spawn(process.execPath, [WORKER], {
    env: {
      ...cleanEnvironment(),
      RUN_MARKER: marker,
      WORKER_OPTIONS: JSON.stringify({
        baseUrl: `${watched.url}/api/v1`,
        apiKey: workerKey,
        dataDir,
        defaultHarness: 'fake',
        harnesses: FAKE_HARNESSES,
        // One at a time: else what it waits for while it is frozen could be the same run again.
        capacity: 1,
      }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await killMarked(marker);
    await watched.close(0);
  });
  await once(child.stdout, 'data');
  return { child, asked, answers };
}

describe('a worker frozen past its lease (threats.md S12)', () => {
  it(
    'finds every write refused once it goes on, and the run is the new attempt’s',
    async () => {
      const { child, asked, answers } = await startRealWorker(temporaryDirectory());
      const id = await runs.create({
        prompt: script({ say: 'early' }, { shell: 'sleep 2' }, { say: 'too late' }),
        config: { harness: { type: 'fake' } },
      });
      const said = async (): Promise<string> =>
        JSON.stringify(
          await query(`select data from run_events where run_id = $1 and type = 'message'`, [id]),
        );
      await vi.waitFor(async () => expect(await said()).toContain('early'), { timeout: 60_000 });
      child.kill('SIGSTOP');
      const [held] = await query<{ lease_worker: string }>(
        'select lease_worker from runs where id = $1',
        [id],
      );
      // What it had sent before may renew its lease once more.
      const ended = async (): Promise<void> => {
        await ageLeases([held?.lease_worker ?? '']);
        expect((await runs.get(id)).state).toBe('ERROR');
      };
      await vi.waitFor(ended, { timeout: 60_000, interval: 100 });
      await runs.ask('POST', `/agent/runs/${id}/followups`, { message: 'go on' });
      const second = await beginAs('second');
      const [before, askedBefore] = [answers.length, asked.length];
      child.kill('SIGCONT');
      // With room for one run, it claims the next when it has given up this one.
      await vi.waitFor(() => expect(asked.slice(askedBefore)).toContain('claim'), {
        timeout: 60_000,
      });
      expect((await runs.get(id)).state).toBe('INPROGRESS');
      expect((await runs.complete(second, 'SUCCEEDED', 1)).body).toMatchObject({ ended: true });
      child.kill('SIGTERM');
      await once(child, 'exit');
      const late = answers.slice(before).filter(({ isUnderLease }) => isUnderLease);
      expect(late.filter(({ status }) => status !== 409)).toEqual([]);
      // The heartbeat that the service held meanwhile, or what was sent afterwards.
      expect(answers.some(({ isUnderLease, status }) => isUnderLease && status === 409)).toBe(true);
      expect(await said()).not.toContain('too late');
      expect(await runs.get(id)).toMatchObject({ state: 'SUCCEEDED' });
    },
    WITHIN_MS,
  );

  async function beginAs(workerId: string): Promise<Lease> {
    const lease = await runs.claim({ workerId, harnesses: ['fake'] });
    if (!lease) throw new Error('nothing to claim');
    expect(lease.attempt).toBe(2);
    await runs.report(lease, 'acknowledge');
    return lease;
  }
});
