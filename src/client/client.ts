import type { Dispatcher } from 'undici';
import { connect, type Client, type ConnectSettings } from './connect.ts';

export type { Client } from './connect.ts';

export interface ClientSettings extends Omit<ConnectSettings, 'request'> {
  /** Dispatcher of undici, such as an `EnvHttpProxyAgent`. Default: undici's global one. */
  dispatcher?: Dispatcher | undefined;
}

/** A client that sends its requests with undici. undici is loaded by the first call. */
export function createClient({ dispatcher, ...settings }: ClientSettings): Client {
  return connect({
    ...settings,
    request: async (url, options) =>
      (await import('undici')).request(url, { ...options, ...(dispatcher && { dispatcher }) }),
  });
}
