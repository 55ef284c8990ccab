import { parentPort } from 'node:worker_threads';
import { sleep } from '../../base/time.ts';
import { connect, type Client } from '../../client/connect.ts';
import { isProblem } from '../../client/error.ts';
import { HEARTBEAT_SECONDS, LEASE_SECONDS } from '../../contract/lease.ts';
import { nodeHttp } from '../../client/node-http.ts';
import type { Connection, HeartbeatMessage, ToThread } from './heartbeat-messages.ts';

/** A lost connection is noticed within this time, so that several tries fit into a lease. */
const TRY_TIMEOUT_MS = 4000;
const RETRY_MS = 500;

/**
 * Keeps the leases of this process alive on a separate thread, so that no lease is lost because a
 * large diff blocks the main thread.
 */
const clients = new Map<string, Client>();
const holds = new Map<string, AbortController>();

const post = (message: HeartbeatMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  holds.get(message.id)?.abort();
  holds.delete(message.id);
  if (message.type === 'drop') return;
  const controller = new AbortController();
  holds.set(message.id, controller);
  void keep(message, controller.signal);
});

/** One client per worker of the process, so that connections are reused. */
function clientOf({ baseUrl, apiKey, proxyEnv }: Connection): Client {
  const name = `${baseUrl} ${apiKey}`;
  const client = clients.get(name) ?? connect({ baseUrl, apiKey, request: nodeHttp(proxyEnv) });
  clients.set(name, client);
  return client;
}

async function keep(hold: Extract<ToThread, { type: 'hold' }>, stop: AbortSignal): Promise<void> {
  const client = clientOf(hold.connection);
  let after = hold.afterSignal;
  let renewed = performance.now();
  while (!stop.aborted) {
    const started = performance.now();
    try {
      const { signals } = await client.worker.heartbeat(
        hold.runId,
        { after_signal: after },
        {
          lease: hold.token,
          waitSeconds: HEARTBEAT_SECONDS,
          tryTimeoutMs: TRY_TIMEOUT_MS,
          retry: false,
          signal: stop,
        },
      );
      renewed = started;
      if (signals.length > 0) post({ type: 'signals', id: hold.id, signals });
      else if (performance.now() - started < 1000) await sleep(1000, stop).catch(() => undefined);
      after = Math.max(after, ...signals.map(({ id }) => id));
    } catch (error) {
      if (stop.aborted) return;
      if (isLoss(error)) return lost(hold.id, 'the service gave it up');
      if (performance.now() - renewed > LEASE_SECONDS * 1000)
        return lost(hold.id, 'the service could not be reached in time');
      await sleep(RETRY_MS, stop).catch(() => undefined);
    }
  }
}

function lost(id: string, reason: string): void {
  holds.delete(id);
  post({ type: 'lost', id, reason });
}

/** The run is no longer ours: another worker has it, it has ended, or our key was revoked. */
function isLoss(error: unknown): boolean {
  return isProblem(error) && [401, 403, 404, 409].includes(error.status);
}
