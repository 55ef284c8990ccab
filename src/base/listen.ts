import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RunlinkError, errorMessage } from './error.ts';

export interface Address {
  host: string;
  /** 0 means any free port. */
  port: number;
}

/**
 * Starts to listen; returns the URL by which others on this machine reach the server. Throws
 * `cannot_listen`, which names the option that chooses the port.
 */
export async function listen(
  server: Server,
  { host, port }: Address,
  option = '--port',
): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const problem = `Cannot listen on ${host}:${port}: ${errorMessage(cause)}`;
    const hint = /EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN/.test(problem)
      ? `Give ${option.replace('port', 'host')} an address of this machine.`
      : `Choose another ${option}, or 0 for any free one.`;
    throw new RunlinkError('cannot_listen', problem, { hint, cause });
  });
  const { port: open } = server.address() as AddressInfo;
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${open}`;
}

/** Stops listening and ends all connections at once. */
export async function closeNow(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
