import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';

const addresses = new AsyncLocalStorage<string>();

/** The shape of an address that a proxy may report; anything else in the header is ignored. */
const ADDRESS = /^[\dA-Fa-f:.]{2,45}$/;

/** Runs `work` with the caller's address available to everything it calls, mainly the audit log. */
export function withAddress<T>(request: IncomingMessage, work: () => T): T {
  return addresses.run(addressOf(request), work);
}

/** Null outside of a request. */
export function callerAddress(): string | null {
  return addresses.getStore() ?? null;
}

/**
 * Where a request comes from. The connection's address cannot be forged, a header can, so a header
 * is never shown alone: `203.0.113.9 via 10.0.0.2`.
 */
function addressOf({ socket, headers }: IncomingMessage): string {
  const own = socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown';
  const said = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
  return ADDRESS.test(said) ? `${said} via ${own}` : own;
}
