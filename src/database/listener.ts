import { Client, type ClientConfig } from 'pg';
import type { Log } from '../base/log.ts';
import { errorMessage } from '../base/error.ts';

const RECONNECT_MS = 500;
/** How often the connection is checked. A half-open one would otherwise stay silent for ever. */
const HEARTBEAT_MS = 10_000;
const ANSWER_WITHIN_MS = 5000;

type Hear = (payload: string) => void;

/** Receives NOTIFY on any number of channels over its own connection. */
export interface Listener {
  /**
   * Calls `hear` with each payload of the channel. After a reconnect it calls it with an empty one,
   * because something may have been missed. Returns a function that unsubscribes.
   */
  subscribe(channel: string, hear: Hear): () => void;
  /** False while notifications may be missed. */
  readonly connected: boolean;
  close(): Promise<void>;
}

interface State {
  client: Client | undefined;
  closed: boolean;
  retry: NodeJS.Timeout | undefined;
  heartbeat: NodeJS.Timeout | undefined;
}

/** Starts listening in the background. Never rejects; keeps trying until it is closed. */
export function createListener(connect: ClientConfig, log: Log): Listener {
  const channels = new Map<string, Set<Hear>>();
  const state: State = { client: undefined, closed: false, retry: undefined, heartbeat: undefined };

  function lose(client: Client): void {
    if (state.client === client) state.client = undefined;
    clearInterval(state.heartbeat);
    client.removeAllListeners();
    client.on('error', () => {});
    client.end().catch(() => {});
    if (!state.closed && !state.retry)
      state.retry = setTimeout(() => {
        state.retry = undefined;
        void open();
      }, RECONNECT_MS);
  }

  async function open(): Promise<void> {
    const client = new Client({
      ...connect,
      keepAlive: true,
      query_timeout: ANSWER_WITHIN_MS,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
    });
    client.on('error', () => lose(client));
    client.on('end', () => lose(client));
    client.on('notification', ({ channel, payload }) => {
      for (const hear of channels.get(channel) ?? []) hear(payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of channels.keys()) await listen(client, channel);
    } catch (error) {
      log.debug({ reason: errorMessage(error) }, 'listening for changes failed');
      lose(client);
      return;
    }
    if (state.closed) {
      await client.end().catch(() => {});
      return;
    }
    state.client = client;
    state.heartbeat = setInterval(() => {
      client.query('select 1').catch(() => lose(client));
    }, HEARTBEAT_MS);
    for (const listeners of channels.values()) for (const hear of listeners) hear('');
  }

  const opening = open();
  return {
    get connected() {
      return state.client !== undefined;
    },
    subscribe(channel, hear) {
      const listeners = channels.get(channel) ?? new Set();
      if (!channels.has(channel)) {
        channels.set(channel, listeners);
        const { client } = state;
        if (client) listen(client, channel).catch(() => lose(client));
      }
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
    async close() {
      state.closed = true;
      clearTimeout(state.retry);
      await opening;
      if (state.client) lose(state.client);
    },
  };
}

async function listen(client: Client, channel: string): Promise<void> {
  await client.query(`listen ${client.escapeIdentifier(channel)}`);
}
