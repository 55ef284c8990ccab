import { randomUUID } from 'node:crypto';
import { LEASE_HEADER, type Lease, type Signal } from '../../src/contract/lease.ts';
import type { RunItem } from '../../src/contract/run.ts';
import type { TestService } from './service.ts';

/** An answer with its body already read. */
export interface Answered<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Asks the service as a person and as a worker would, one call a line. */
export interface RunDriver {
  /** Of the person. */
  key: string;
  workerKey: string;
  ask<T>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered<T>>;
  /** Starts a run; answers its id. */
  create(body?: Record<string, unknown>): Promise<string>;
  get(runId: string): Promise<RunItem>;
  claim(options?: {
    workerId?: string;
    host?: string;
    key?: string;
    harnesses?: string[];
    environment?: string;
  }): Promise<Lease | null>;
  /** A worker's call under a lease. */
  report<T>(lease: Lease, action: string, body?: unknown, wait?: number): Promise<Answered<T>>;
  /** Leaves a web page as a file of the run; answers the artifact's id. */
  upload(lease: Lease, filepath: string): Promise<string>;
  /** Claims the next run and begins it. */
  begin(): Promise<Lease>;
  complete(lease: Lease, state: string, lastSignal?: number): Promise<Answered<Completed>>;
}

interface Completed {
  ended: boolean;
  state: string;
  signals: Signal[];
}

export function driveRuns(service: TestService, key: string, workerKey: string): RunDriver {
  async function send<T>(
    as: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered<T>> {
    const options = { key: as, headers, ...(body === undefined ? {} : { body }) };
    const response = await service.request(method, path, options);
    const text = await response.text();
    const read = (text === '' ? undefined : JSON.parse(text)) as T;
    return { status: response.status, headers: response.headers, body: read };
  }
  const driver: RunDriver = {
    key,
    workerKey,
    ask: (method, path, body, headers) => send(key, method, path, body, headers),
    async create(body = {}) {
      const answer = await send<{ run_id: string }>(key, 'POST', '/agent/runs', {
        prompt: 'do it',
        ...body,
      });
      if (answer.status !== 200) throw new Error(`create: ${JSON.stringify(answer.body)}`);
      return answer.body.run_id;
    },
    get: async (runId) => (await send<RunItem>(key, 'GET', `/agent/runs/${runId}`)).body,
    async claim({
      workerId = 'w1',
      host,
      key: as = workerKey,
      harnesses = ['demo'],
      environment,
    } = {}) {
      const answer = await send<{ lease: Lease | null }>(as, 'POST', '/worker/claim', {
        worker_id: workerId,
        capacity: 1,
        harnesses,
        ...(host === undefined ? {} : { worker_host: host }),
        ...(environment === undefined ? {} : { environment }),
      });
      return answer.body.lease;
    },
    report: (lease, action, body, wait) =>
      send(workerKey, 'POST', `/worker/runs/${lease.run_id}/${action}`, body, {
        [LEASE_HEADER]: lease.token,
        ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
      }),
    async upload({ run_id, token }, filepath) {
      const query = new URLSearchParams({ filepath, mime_type: 'text/html', title: filepath });
      const path = `/worker/runs/${run_id}/artifacts?${query.toString()}`;
      const headers = { authorization: `Bearer ${workerKey}`, [LEASE_HEADER]: token };
      const body = '<script>window.pwned=0</script>';
      const answer = await fetch(service.baseUrl + path, { method: 'POST', headers, body });
      if (answer.status !== 200) throw new Error(`upload: ${await answer.text()}`);
      return ((await answer.json()) as { artifact_uid: string }).artifact_uid;
    },
    async begin() {
      const lease = await driver.claim();
      if (!lease) throw new Error('nothing to claim');
      await driver.report(lease, 'acknowledge');
      return lease;
    },
    complete: (lease, state, lastSignal = 0) =>
      driver.report(lease, 'complete', { state, message: state, last_signal: lastSignal }),
  };
  return driver;
}

/** A started service with a person and a built-in worker. */
export async function startDriver(
  start: () => Promise<TestService>,
): Promise<{ service: TestService; runs: RunDriver; key: string; workerKey: string }> {
  const service = await start();
  const key = await service.personalKey();
  const workerKey = await service.workerKey();
  return { service, key, workerKey, runs: driveRuns(service, key, workerKey) };
}

/** A person and a worker of a new team, for a test that would meet the runs of others. */
export async function driveNewTeam(service: TestService): Promise<RunDriver> {
  const team = `team-${randomUUID()}`;
  return driveRuns(service, await service.personalKey(team, team), await service.workerKey(team));
}
