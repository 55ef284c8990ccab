import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { RunlinkError, errorMessage } from '../../base/error.ts';

/** A listening HTTP server. */
export interface Listening {
  /** `http://127.0.0.1:8787`, as others on this machine reach it. */
  url: string;
  /** Takes no new requests, lets those under way finish for a while, then cuts them. */
  close(drainMs?: number): Promise<void>;
}

const DRAIN_MS = 10_000;
/** A client that has not sent its headers by then is not coming. */
const HEADERS_WITHIN_MS = 30_000;

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export interface ListenOptions {
  host: string;
  /** 0 means any free port. */
  port: number;
  /** Sees each request first, as Node has it; answers true for those it took, such as webhooks. */
  first?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** Serves a fetch handler over HTTP. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port, first }: ListenOptions,
): Promise<Listening> {
  const answer = getRequestListener(fetch);
  const server = createServer((request, response) => {
    const taken = first?.(request, response) ?? Promise.resolve(false);
    taken.then(
      (done) => (done ? undefined : answer(request, response)),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.headersTimeout = HEADERS_WITHIN_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    throw new RunlinkError(
      'cannot_listen',
      `Cannot listen on ${host}:${port}: ${errorMessage(cause)}`,
      {
        hint: 'Choose another --port, or 0 for any free one.',
        cause,
      },
    );
  });
  return {
    url: urlOf(server, host),
    async close(drainMs = DRAIN_MS) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
