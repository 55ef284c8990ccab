import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { closeNow, listen, type Address } from './listen.ts';

export interface ServedMetrics {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` for Prometheus on its own port, with the metrics of this process added.
 * Registries may be added later, so that a port that is taken stops a process before it has begun
 * any work. Throws `cannot_listen`.
 */
export async function serveMetrics(
  registries: readonly Registry[],
  address: Address,
): Promise<ServedMetrics> {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', own.contentType);
    void readMetrics([own, ...registries]).then((text) => response.end(text));
  });
  const url = await listen(server, address, '--metrics-port');
  return { url: `${url}/metrics`, close: () => closeNow(server) };
}

/** A metric that cannot be read just now is left out, and hides no other. */
async function readMetrics(registries: readonly Registry[]): Promise<string> {
  const texts = await Promise.all(
    registries.flatMap((registry) =>
      registry
        .getMetricsAsArray()
        .map(({ name }) => registry.getSingleMetricAsString(name).catch(() => '')),
    ),
  );
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}
