import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeInTurn } from '../base/close-in-turn.ts';
import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { repeat, type Repeated } from '../base/repeat.ts';
import type { Client } from '../client/client.ts';
import { untilResumed } from '../database/backup/hold.ts';
import { EDIT_EVERY_MS } from '../commands/progress.ts';
import type { Tables } from '../database/open-database.ts';
import type { GithubAccess } from './connect-github.ts';
import type { AppContext, AppSettings } from './context.ts';
import { checkSecrets } from './http/secrets.ts';
import { WEBHOOK_PATH, receiveDelivery } from './http/receive.ts';
import { createIntake } from './inbox/intake.ts';
import { identify } from './identify.ts';
import { Leader } from './leader-election.ts';
import { lead } from './leader-work.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { Window } from './store/installations.ts';
import { claimInstallations, renewInstallations } from './store/installations.ts';
import { WRITE_WINDOWS, writeInstallation } from './outbox/writer.ts';
import { handleDelivery } from './inbox/handle-delivery.ts';
import { receiveBy } from './inbox/receive-by.ts';
import { runlinkApp } from './runlink-app.ts';
import { ClaimWorkers } from './claim-workers.ts';
import { checkReadiness, type Readiness } from './readiness.ts';
import { claimDeliveries, inboxDepth, renewDeliveries } from './store/deliveries.ts';
import { outboxDepth } from './store/posts.ts';
import { runsByState } from './store/runs.ts';
import type { AppTables } from './store/tables.ts';

export interface AppOptions {
  /** The database with the App's schema in place. */
  tables: Pick<Tables<AppTables>, 'kysely' | 'pool'>;
  client: Client;
  github: GithubAccess;
  /** The webhook secret; during a rotation also the old one. */
  secrets: readonly string[];
  /** Other secrets that must never be shown on GitHub. */
  hide?: readonly string[];
  log: Log;
  settings?: Partial<AppSettings>;
  /** After this long without a sign of life, a replica's work goes to another one. */
  leaseMs?: number;
  /** Limits on writes to GitHub per installation. */
  windows?: readonly Window[];
  sweepEveryMs?: number;
  recoverEveryMs?: number;
}

export interface App {
  /** Answers a request to one of the App's paths; false if the path is not the App's. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  start(): void;
  /** Takes nothing new, finishes what is under way. */
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
  metrics: Metrics;
}

export const DEFAULT_SETTINGS: AppSettings = {
  phrase: '/agent',
  checkName: 'Runlink',
  tellAfterMs: 2 * 60_000,
  lookWithinMs: 15_000,
  probeEveryMs: 5000,
  editEveryMs: EDIT_EVERY_MS,
  lookEveryMs: EDIT_EVERY_MS,
  againEveryMs: 60_000,
  giveUpAfterMs: 6 * 3_600_000,
};

const LEASE_MS = 6000;
/** Many, because each spends most of its time waiting for answers. */
const DELIVERIES_AT_ONCE = 16;
const INSTALLATIONS_AT_ONCE = 16;
const POLL_MS = 1000;
const SWEEP_EVERY_MS = 10 * 60_000;
const RECOVER_EVERY_MS = 5 * 60_000;

/**
 * Builds what every part of the App works with. `pokeOutbox` is called when there is something to
 * write.
 */
export function createContext(
  options: Pick<AppOptions, 'tables' | 'client' | 'github' | 'log' | 'settings' | 'leaseMs'>,
  pokeOutbox: () => void,
): AppContext {
  const { client, github, log, settings, leaseMs = LEASE_MS } = options;
  const { kysely: db } = options.tables;
  return {
    db,
    replica: { id: randomUUID(), leaseMs },
    client,
    github: (installationId) => github.installation(installationId),
    appGithub: () => github.app(),
    identity: identify(github),
    settings: { ...DEFAULT_SETTINGS, ...settings },
    metrics: createMetrics({
      inbox: () => inboxDepth(db),
      outbox: () => outboxDepth(db),
      githubRemaining: () => github.remaining,
      runsByState: () => runsByState(db),
    }),
    log,
    pokeOutbox,
  };
}

/**
 * The App on a database: webhooks, inbox, outbox, and the watch that one replica at a time keeps.
 */
export function createApp(options: AppOptions): App {
  const { pool } = options.tables;
  const context = createContext(options, () => loops?.writing.poke());
  const { db, replica, metrics, log } = context;
  const receive = receiveBy(options.github.probot, runlinkApp(context));
  const inbox = new ClaimWorkers({
    atOnce: DELIVERIES_AT_ONCE,
    claim: (limit) => claimDeliveries(db, replica, limit),
    keyOf: (delivery) => delivery.id,
    work: (delivery) => handleDelivery(context, receive, delivery),
    onRoom: () => loops?.taking.poke(),
    log,
  });
  const windows = options.windows ?? WRITE_WINDOWS;
  const hide = [...options.secrets, ...(options.hide ?? [])];
  const stopping = new AbortController();
  const outbox = new ClaimWorkers({
    atOnce: INSTALLATIONS_AT_ONCE,
    claim: (limit) => claimInstallations(db, replica, limit),
    keyOf: (installationId) => installationId,
    work: (installationId) =>
      writeInstallation({ ...context, windows, hide, stopping: stopping.signal }, installationId),
    onRoom: () => loops?.writing.poke(),
    log,
  });
  const leader = new Leader(
    db,
    replica,
    (signal) =>
      lead(context, signal, {
        sweepEveryMs: options.sweepEveryMs ?? SWEEP_EVERY_MS,
        recoverEveryMs: options.recoverEveryMs ?? RECOVER_EVERY_MS,
        pollMs: POLL_MS,
      }),
    log,
  );
  const renew = async (): Promise<void> => {
    await Promise.all([
      leader.renew(),
      renewDeliveries(db, replica, inbox.inHand),
      renewInstallations(db, replica, outbox.inHand),
    ]);
  };
  const begin = (name: string, everyMs: number, step: () => Promise<void>): Repeated => {
    const onError = (error: unknown): void =>
      log.error({ loop: name, error: errorMessage(error) }, 'step failed');
    return repeat({ step, everyMs, onError });
  };
  let loops: Record<'renewing' | 'taking' | 'writing', Repeated> | undefined;
  const ingest = {
    secrets: checkSecrets(options.secrets),
    phrase: context.settings.phrase,
    intake: createIntake(pool),
    metrics,
    log,
    onStored: () => loops?.taking.poke(),
  };
  /** // Nothing is begun while a restore holds the outboxes. */
  async function begun(): Promise<void> {
    await untilResumed(pool, stopping.signal).catch(() => undefined);
    if (stopping.signal.aborted) return;
    loops ??= {
      renewing: begin('lease', replica.leaseMs / 3, renew),
      taking: begin('inbox', POLL_MS, () => inbox.take()),
      writing: begin('outbox', POLL_MS, () => outbox.take()),
    };
  }
  return {
    metrics,
    readiness: () => checkReadiness(context),
    async handle(request, response) {
      const [path] = (request.url ?? '').split('?', 1);
      if (path === WEBHOOK_PATH) {
        await receiveDelivery(ingest, request, response);
        return true;
      }
      return false;
    },
    start() {
      void begun();
    },
    async stop() {
      stopping.abort();
      await closeInTurn(
        () => loops?.taking.stop(),
        () => inbox.drain(),
        () => loops?.writing.stop(),
        () => outbox.drain(),
        () => loops?.renewing.stop(),
        () => leader.stop(),
      );
    },
  };
}
