import type { Signal } from '../../contract/lease.ts';
import type { ProxyVariables } from '../../client/node-http.ts';

/** How a worker connects to its service. */
export interface Connection {
  baseUrl: string;
  apiKey: string;
  proxyEnv: ProxyVariables;
}

/**
 * `id` identifies the hold, not the run: two workers of one process may try to hold the same run,
 * one of them in vain.
 */
export type ToThread =
  | {
      type: 'hold';
      id: string;
      connection: Connection;
      runId: string;
      token: string;
      afterSignal: number;
    }
  | { type: 'drop'; id: string };

export type HeartbeatMessage =
  | { type: 'signals'; id: string; signals: Signal[] }
  | { type: 'lost'; id: string; reason: string };
