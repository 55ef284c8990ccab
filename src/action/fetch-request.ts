import { Readable } from 'node:stream';
import type { HttpRequest } from '../client/send.ts';

/**
 * Sends the client's requests with Node's own `fetch`. Bundling undici would double the bundle and
 * cost most of the start-up time.
 */
export const fetchRequest: HttpRequest = async (url, { method, headers, body, signal }) => {
  const response = await fetch(url, {
    method: method ?? 'GET',
    headers: headers ?? {},
    body: body instanceof Readable ? null : (body ?? null),
    signal,
    redirect: 'manual',
  });
  const stream = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: Object.assign(stream, {
      text: async () => Buffer.concat(await stream.toArray()).toString('utf8'),
      dump: async () => {
        stream.destroy();
      },
    }),
  };
};
