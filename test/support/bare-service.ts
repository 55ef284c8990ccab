import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import type { RunItem } from '../../src/contract/run.ts';
import { createService, type Service } from '../../src/service/create-service.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { createPersonalKey, createWorkerKey } from '../../src/service/keys/manage-keys.ts';
import { createTestDatabase } from './database.ts';

interface Asked {
  as?: string;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: string;
}

export interface Answer<T = Record<string, unknown>> {
  status: number;
  body: T;
}

export interface BareService {
  service: Service;
  workerKey: string;
  ask: <T = Record<string, unknown>>(
    method: string,
    path: string,
    asked?: Asked,
  ) => Promise<Answer<T>>;
  /** Starts a run; answers its id. */
  create: (fields?: Record<string, unknown>) => Promise<string>;
  claim: (host?: string) => Promise<Answer<{ lease: Lease | null }>>;
  /** A worker's call under a lease. */
  report: (lease: Lease, action: string, body?: unknown) => Promise<Answer>;
  /**
   * A run that a worker holds; it waited in a lane of its own, so that each case meets no other.
   */
  claimed: (how?: { begun?: boolean; pool?: boolean }) => Promise<Lease>;
  run: (id: string) => Promise<RunItem>;
  /** What a `select count(*)` counts. */
  count: (text: string, values: unknown[]) => Promise<number>;
  close: () => Promise<void>;
}

/**
 * A service without its duties and without a network: nothing but a request itself asks the
 * database.
 */
export async function openBareService(config: Record<string, unknown>): Promise<BareService> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'runlink-bare-'));
  const service = await createService({
    database: { url: database.url },
    dataDir,
    publicUrl: () => 'http://127.0.0.1',
    variables: {},
    log: silentLog,
    config: operatorConfig.parse(config),
  });
  const { db } = service.context;
  const { key } = await createPersonalKey(db, { team: 'default', user: 'owner' });
  const workerKey = (await createWorkerKey(db, 'default')).key;
  const bare: BareService = {
    service,
    workerKey,
    async ask<T>(
      method: string,
      path: string,
      { as = key, headers = {}, body, raw }: Asked = {},
    ): Promise<Answer<T>> {
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const answer = await service.fetch(
        new Request(`http://127.0.0.1${API_PREFIX}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${as}`,
            ...(content === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(content === undefined ? {} : { body: content }),
        }),
      );
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as T };
    },
    async create(fields = {}) {
      const { body } = await bare.ask('POST', '/agent/runs', { body: { prompt: 'p', ...fields } });
      return String(body['run_id']);
    },
    claim(host) {
      const named = host === undefined ? {} : { worker_host: host };
      const body = { worker_id: 'w', capacity: 1, harnesses: [], ...named };
      return bare.ask('POST', '/worker/claim', { as: workerKey, body });
    },
    report: (lease, action, body) =>
      bare.ask('POST', `/worker/runs/${lease.run_id}/${action}`, {
        as: workerKey,
        headers: { [LEASE_HEADER]: lease.token },
        ...(body === undefined ? {} : { body }),
      }),
    async claimed({ begun = true, pool = false } = {}) {
      const host = pool ? undefined : randomUUID();
      const id = await bare.create(host ? { config: { worker_host: host } } : {});
      let { lease } = (await bare.claim(host)).body;
      while (lease && lease.run_id !== id) ({ lease } = (await bare.claim(host)).body);
      if (!lease) throw new Error('not claimed');
      if (begun) await bare.report(lease, 'acknowledge');
      return lease;
    },
    run: async (id) => (await bare.ask<RunItem>('GET', `/agent/runs/${id}`)).body,
    count: async (text, values) =>
      Number((await service.context.database.pool.query(text, values)).rows[0]?.count),
    async close() {
      await service.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return bare;
}
