import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { closeNow, listen, type Address } from './listen.ts';

export interface ServedMetrics {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` for Prometheus on its own port, with the metrics of this process added. Throws
 * `cannot_listen`.
 */
export async function serveMetrics(
  registries: readonly Registry[],
  address: Address,
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
  const url = await listen(server, address, '--metrics-port');
  return { url: `${url}/metrics`, close: () => closeNow(server) };
}
