import { join } from 'node:path';
import type { Logger } from 'pino';
import type { App } from '../../app/create-app.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { DatabaseLocation } from '../../database/open-database.ts';
import { createPages } from '../../pages/create-pages.ts';
import { createService, type Service } from '../../service/create-service.ts';
import { listen, type Listening } from '../../service/http/listen.ts';
import { createBuiltInWorkerKey, ensureOwner } from '../../service/keys/manage-keys.ts';
import type { RunningWorker } from '../../worker/main.ts';
import { startConfiguredWorker, type WorkerStart } from '../start-worker.ts';
import type { InnerAppOptions } from './inner-app.ts';
import { ensureKeyFile, writeSecretFile } from './key-file.ts';
import { createPagesBackend } from './pages-backend.ts';

export interface ServeOptions {
  host: string;
  port: number;
  /** Where people reach the service, when that is not where it listens. */
  publicUrl?: string;
  database: DatabaseLocation;
  dataDir: string;
  config: OperatorConfig;
  /** Values of the variables that the configuration names. */
  variables: Record<string, string | undefined>;
  /** The built-in worker; none when absent. */
  worker?: Pick<WorkerStart, 'fallbackHarness' | 'capacity' | 'sandbox'>;
  /** The GitHub App on the same port and database; none when absent. */
  app?: InnerAppOptions;
  log: Logger;
}

export interface Serving {
  url: string;
  /** With the version segment. */
  apiBaseUrl: string;
  service: Service;
  /** Stops taking work, ends what is under way and all children, closes the database. */
  close(graceMs?: number): Promise<void>;
}

const API_PATH = '/api/v1';
const GRACE_MS = 10_000;

const SERVICE_PATH = /^\/(api|health|ready)(\/|$)/;

/** Service, pages, built-in worker and App as one process on one port. */
export async function startServing(options: ServeOptions): Promise<Serving> {
  const { dataDir, log, config } = options;
  let url = '';
  const publicUrl = (): string => options.publicUrl ?? url;
  const service = await createService({
    database: options.database,
    dataDir,
    publicUrl,
    variables: options.variables,
    log,
    config,
  });
  let app: App | undefined;
  let pages: ReturnType<typeof createPages> | undefined;
  const listening = await listen(
    (request) =>
      SERVICE_PATH.test(new URL(request.url).pathname) || !pages
        ? service.fetch(request)
        : pages.fetch(request),
    {
      host: options.host,
      port: options.port,
      first: async (request, response) => (await app?.handle(request, response)) ?? false,
    },
  ).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  url = listening.url;
  pages = createPages(createPagesBackend(service, publicUrl(), log));
  const apiBaseUrl = url + API_PATH;
  await keepOwnerKey(service, dataDir);
  await service.start();
  const inner = options.app && (await startApp(service, apiBaseUrl, options, options.app));
  app = inner?.app;
  const worker =
    options.worker && (await startBuiltInWorker(service, apiBaseUrl, options, options.worker));
  log.info({ url, worker: worker?.sandbox ?? 'none', app: app !== undefined }, 'serving');
  return {
    url,
    apiBaseUrl,
    service,
    close: (graceMs = GRACE_MS) => closeAll({ service, listening, inner, worker }, graceMs),
  };
}

async function keepOwnerKey(service: Service, dataDir: string): Promise<void> {
  const owner = await ensureOwner(service.context.db);
  if (owner) await writeSecretFile(join(dataDir, 'owner.key'), owner.key);
}

/** Loaded only where it is served: it would add some 20 MB to an idle heap. */
async function startApp(
  service: Service,
  baseUrl: string,
  { dataDir, log }: ServeOptions,
  app: InnerAppOptions,
) {
  const { startInnerApp } = await import('./inner-app.ts');
  return startInnerApp(service, baseUrl, dataDir, app, log);
}

async function startBuiltInWorker(
  service: Service,
  baseUrl: string,
  { dataDir, config, log }: ServeOptions,
  worker: NonNullable<ServeOptions['worker']>,
): Promise<RunningWorker> {
  const make = (): Promise<{ key: string }> => createBuiltInWorkerKey(service.context.db);
  const apiKey = await ensureKeyFile(join(dataDir, 'worker.key'), service, make);
  return startConfiguredWorker({
    ...worker,
    baseUrl,
    apiKey,
    dataDir: join(dataDir, 'worker'),
    hide: [dataDir],
    config,
    alone: false,
    useProxy: false,
    log: log.child({ part: 'worker' }),
  });
}

interface Parts {
  service: Service;
  listening: Listening;
  inner: Awaited<ReturnType<typeof startApp>> | undefined;
  worker: RunningWorker | undefined;
}

/** The worker first, while the service still hears it; the database last. */
async function closeAll(
  { service, listening, inner, worker }: Parts,
  graceMs: number,
): Promise<void> {
  await Promise.all([worker?.drain(graceMs), inner?.stop()]);
  service.endWaits();
  await listening.close(graceMs);
  await inner?.close();
  await service.stop();
}
