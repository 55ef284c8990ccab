import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { RunlinkError, errorMessage } from './error.ts';

/** Where a process shows its metrics. */
export interface MetricsAddress {
  host: string;
  /** 0 means any free one. */
  port: number;
}

export interface ServedMetrics {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` for Prometheus on a port of its own, with those of the process itself. Throws
 * `cannot_listen`.
 */
export async function serveMetrics(
  registries: readonly Registry[],
  { host, port }: MetricsAddress,
): Promise<ServedMetrics> {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  const all = Registry.merge([own, ...registries]);
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    all.metrics().then(
      (text) => response.setHeader('content-type', all.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    throw new RunlinkError(
      'cannot_listen',
      `Cannot show metrics on ${host}:${port}: ${errorMessage(cause)}`,
      { hint: 'Choose another --metrics-port, or 0 for any free one.', cause },
    );
  });
  const { port: open } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${open}/metrics`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
