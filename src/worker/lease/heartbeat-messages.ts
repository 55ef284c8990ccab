import type { Signal } from '../../contract/lease.ts';
import type { ProxyVariables } from '../../client/node-http.ts';

export interface HeartbeatData {
  baseUrl: string;
  apiKey: string;
  proxyEnv: ProxyVariables;
}

export type ToThread =
  | { type: 'hold'; runId: string; token: string; afterSignal: number }
  | { type: 'drop'; runId: string };

export type FromThread =
  | { type: 'signals'; runId: string; signals: Signal[] }
  | { type: 'lost'; runId: string; reason: string };
