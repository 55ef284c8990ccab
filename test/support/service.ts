import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '../../src/contract/role.ts';
import { silentLog, type Log } from '../../src/base/log.ts';
import { operatorConfig, type OperatorConfig } from '../../src/config/operator-config.ts';
import { createService, type Service } from '../../src/service/create-service.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { serveHttp } from '../../src/service/http/serve-http.ts';
import {
  createBuiltInWorkerKey,
  createPersonalKey,
  createWorkerKey,
} from '../../src/service/keys/manage-keys.ts';
import { createTestDatabase } from './database.ts';
import { validateAnswer } from './validate-answer.ts';

export interface TestServiceOptions {
  /** `runlink.yaml` as data. */
  config?: Record<string, unknown>;
  variables?: Record<string, string>;
  /** Where contents are kept; a new directory, removed at the end, where absent. */
  dataDir?: string;
  /** A database to share with another node; a new one where absent. */
  databaseUrl?: string;
  /** How long after the start no lease is taken back; none where absent. */
  graceMs?: number;
  log?: Log;
}

/** A real service on a real port and a database of its own. */
export interface TestService {
  url: string;
  /** What clients and the SDK take as base URL. */
  baseUrl: string;
  databaseUrl: string;
  dataDir: string;
  config: OperatorConfig;
  service: Service;
  /** A new personal key. */
  personalKey(team?: string, user?: string, role?: Role): Promise<string>;
  /** A new worker key: of a team, or of the built-in worker where none is named. */
  workerKey(team?: string): Promise<string>;
  /** A request to `/api/v1` + path; a body is sent as JSON. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface RequestOptions {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function send(
  baseUrl: string,
  method: string,
  path: string,
  { key, body, headers, signal }: RequestOptions = {},
): Promise<Response> {
  const answer = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  await validateAnswer(method, path, answer.clone());
  return answer;
}

/** Starts a service; the caller closes it, most simply with `afterAll(() => service.close())`. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'runlink-test-')));
  const config = operatorConfig.parse(options.config ?? {});
  const place = { url: '' };
  const service = await createService({
    database: { url: databaseUrl },
    dataDir,
    publicUrl: () => place.url,
    variables: options.variables ?? {},
    log: options.log ?? silentLog,
    config,
    graceMs: options.graceMs ?? 0,
  });
  const listening = await serveHttp((request) => service.fetch(request), {
    host: '127.0.0.1',
    port: 0,
  });
  place.url = listening.url;
  await service.start();
  const baseUrl = listening.url + API_PREFIX;
  const { db } = service.context;
  return {
    url: listening.url,
    baseUrl,
    databaseUrl,
    dataDir,
    config,
    service,
    personalKey: async (team = 'default', user = 'owner', role) =>
      (await createPersonalKey(db, { team, user, ...(role && { role }) })).key,
    workerKey: async (team) =>
      (await (team === undefined ? createBuiltInWorkerKey(db) : createWorkerKey(db, team))).key,
    request: (method, path, requestOptions) => send(baseUrl, method, path, requestOptions),
    async close() {
      service.endWaits();
      await listening.close(0);
      await service.stop();
      await database?.drop();
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
