import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { closeInTurn } from '../../base/close-in-turn.ts';
import type { Address } from '../../base/listen.ts';
import { serveMetrics, type ServedMetrics } from '../../base/serve-metrics.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { DatabaseLocation } from '../../database/open-database.ts';
import { createPages } from '../../pages/create-pages.ts';
import { OPERATOR, recordAudit } from '../../service/audit/record-audit.ts';
import { createService, type Service } from '../../service/create-service.ts';
import { serveHttp, type Listening } from '../../service/http/serve-http.ts';
import { createBuiltInWorkerKey } from '../../service/keys/manage-keys.ts';
import type { RunningWorker } from '../../worker/main.ts';
import { assertDataUnseen, startConfiguredWorker, type WorkerStart } from '../start-worker.ts';
import type { InnerAppOptions } from './inner-app.ts';
import { ensureKeyFile, ensureOwnerKey } from './key-file.ts';
import { createPagesBackend } from './pages-backend.ts';

export interface ServeOptions {
  host: string;
  port: number;
  /** Where people reach the service, if not where it listens. */
  publicUrl?: string;
  database: DatabaseLocation;
  dataDir: string;
  config: OperatorConfig;
  /** Values of the variables that the configuration names. */
  variables: Record<string, string | undefined>;
  /** Whether the built-in worker uses the proxies that the environment names. */
  useProxy?: boolean;
  /** The built-in worker; none when absent. */
  worker?: Pick<WorkerStart, 'fallbackHarness' | 'capacity' | 'sandbox'>;
  /** The GitHub App on the same port and database; absent without one. */
  app?: InnerAppOptions;
  /** The pages that create an App: the GitHub they lead to, and the file for its credentials. */
  setup?: { githubApiUrl: string; file: string };
  /** Address for the metrics of all parts; none if absent. */
  metrics?: Address;
  log: Logger;
}

export interface Serving {
  url: string;
  /** With the version segment. */
  apiBaseUrl: string;
  metricsUrl: string | undefined;
  /** Opens the pages on which an App is created, once. */
  setupUrl: string | undefined;
  service: Service;
  /** Stops taking work, ends what is under way and all child processes, and closes the database. */
  close(graceMs?: number): Promise<void>;
}

const API_PATH = '/api/v1';
const GRACE_MS = 10_000;

const SERVICE_PATH = /^\/(api|health|ready)(\/|$)/;

/**
 * Starts service, pages, built-in worker and App as one process on one port. If one part fails, all
 * are closed.
 */
export async function startServing(options: ServeOptions): Promise<Serving> {
  if (options.worker) assertDataUnseen(options.worker, options.config, options.dataDir);
  const place = { url: '' };
  const publicUrl = (): string => options.publicUrl ?? place.url;
  const service = await createService({
    database: options.database,
    dataDir: options.dataDir,
    publicUrl,
    variables: options.variables,
    log: options.log,
    config: options.config,
  });
  const parts: Parts = { service, closing: new AbortController() };
  try {
    await ensureOwnerKey(join(options.dataDir, 'owner.key'), service);
    parts.listening = await listenFor(parts, options);
    place.url = parts.listening.url;
    parts.pages = createPages(
      createPagesBackend(service, {
        publicUrl: publicUrl(),
        log: options.log,
        closing: parts.closing.signal,
      }),
    );
    await startParts(parts, place.url + API_PATH, options);
  } catch (error) {
    await closeAll(parts, 0);
    throw error;
  }
  return {
    url: place.url,
    apiBaseUrl: place.url + API_PATH,
    metricsUrl: parts.metrics?.url,
    setupUrl: parts.setup && publicUrl() + parts.setup.path,
    service,
    close: (graceMs = GRACE_MS) => closeAll(parts, graceMs),
  };
}

/** The parts started so far. */
interface Parts {
  service: Service;
  /** Aborted first at the end. */
  closing: AbortController;
  listening?: Listening;
  pages?: ReturnType<typeof createPages>;
  inner?: Awaited<ReturnType<typeof startApp>>;
  worker?: RunningWorker;
  setup?: Awaited<ReturnType<typeof openSetupPages>>;
  metrics?: ServedMetrics;
}

function listenFor(parts: Parts, { host, port }: ServeOptions): Promise<Listening> {
  const answer = (request: Request): Response | Promise<Response> =>
    SERVICE_PATH.test(new URL(request.url).pathname) || !parts.pages
      ? parts.service.fetch(request)
      : parts.pages.fetch(request);
  return serveHttp(answer, {
    host,
    port,
    first: async (request, response) =>
      ((await parts.inner?.app.handle(request, response)) ?? false) ||
      (isSetupPath(request.url) && ((await parts.setup?.answer(request, response)) ?? false)),
  });
}

/** Set-up pages have their own paths; everything else belongs to the service's pages. */
function isSetupPath(url = ''): boolean {
  return /^\/probot(?:\/setup)?(?:\?|$)/.test(url);
}

async function startParts(parts: Parts, apiBaseUrl: string, options: ServeOptions): Promise<void> {
  const { service } = parts;
  const shown: Registry[] = [];
  if (options.metrics) {
    shown.push(await service.metrics());
    parts.metrics = await serveMetrics(shown, options.metrics);
  }
  await service.start();
  if (options.app) parts.inner = await startApp(service, apiBaseUrl, options, options.app);
  if (options.setup) parts.setup = await openSetupPages(service, options, options.setup);
  if (options.worker)
    parts.worker = await startBuiltInWorker(service, apiBaseUrl, options, options.worker);
  if (options.metrics && parts.inner) shown.push(parts.inner.app.metrics.registry);
  if (options.metrics && parts.worker) shown.push(await parts.worker.metrics());
  const sandbox = parts.worker?.sandbox ?? 'none';
  options.log.info(
    { url: parts.listening?.url, worker: sandbox, app: parts.inner !== undefined },
    'serving',
  );
}

/** Imported only if it is needed: it would add some 20 MB to an idle heap. */
async function startApp(
  service: Service,
  baseUrl: string,
  { dataDir, log }: ServeOptions,
  app: InnerAppOptions,
) {
  const { startInnerApp } = await import('./inner-app.ts');
  return startInnerApp(service, baseUrl, dataDir, app, log);
}

async function openSetupPages(
  { context: { db } }: Service,
  { publicUrl, log }: ServeOptions,
  setup: NonNullable<ServeOptions['setup']>,
) {
  const { openSetup } = await import('../../app/setup/open-setup.ts');
  const pagesAt = (url: string): string => url;
  const created = (appId: number): Promise<void> =>
    recordAudit(db, OPERATOR, {
      teamId: null,
      action: 'app.created',
      object: { type: 'app', id: String(appId), name: String(appId) },
    });
  return openSetup({ ...setup, publicUrl, pagesAt, created, log: log.child({ part: 'app' }) });
}

async function startBuiltInWorker(
  service: Service,
  baseUrl: string,
  { dataDir, config, useProxy = false, log }: ServeOptions,
  worker: NonNullable<ServeOptions['worker']>,
): Promise<RunningWorker> {
  const make = (): Promise<{ key: string }> => createBuiltInWorkerKey(service.context.db);
  const apiKey = await ensureKeyFile(join(dataDir, 'worker.key'), service, make);
  return startConfiguredWorker({
    ...worker,
    baseUrl,
    apiKey,
    dataDir: join(dataDir, 'worker'),
    unseen: [dataDir],
    config,
    alone: false,
    useProxy,
    log: log.child({ part: 'worker' }),
  });
}

/** Closes the worker first, while the service still answers it, and the database last. */
async function closeAll(
  { service, closing, listening, inner, worker, metrics }: Parts,
  graceMs: number,
): Promise<void> {
  closing.abort();
  const drained = worker?.drain(graceMs);
  drained?.catch(() => undefined);
  await closeInTurn(
    () => inner?.stop(),
    () => drained,
    () => service.endWaits(),
    () => listening?.close(graceMs),
    () => inner?.close(),
    () => metrics?.close(),
    () => service.stop(),
  );
}
