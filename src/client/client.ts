import type { Dispatcher } from 'undici';
import { connect, type Client, type ConnectSettings } from './connect.ts';

export type { Client } from './connect.ts';

export interface ClientSettings extends Omit<ConnectSettings, 'request'> {
  /** undici's dispatcher, such as an `EnvHttpProxyAgent`; its global one otherwise. */
  dispatcher?: Dispatcher | undefined;
}

/** The client of a run service over undici, which the first call loads. */
export function createClient({ dispatcher, ...settings }: ClientSettings): Client {
  return connect({
    ...settings,
    request: async (url, options) =>
      (await import('undici')).request(url, { ...options, ...(dispatcher && { dispatcher }) }),
  });
}
