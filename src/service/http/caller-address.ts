import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';

const addresses = new AsyncLocalStorage<string>();

/** What a proxy may say of its caller; anything else in the header is nobody's address. */
const ADDRESS = /^[\dA-Fa-f:.]{2,45}$/;

/** Carries a request out with its address known to whatever is done for it, the audit log above all. */
export function withAddress<T>(request: IncomingMessage, work: () => T): T {
  return addresses.run(addressOf(request), work);
}

/** Null for what no request asked for. */
export function callerAddress(): string | null {
  return addresses.getStore() ?? null;
}

/**
 * From where a request comes. The connection cannot be made up; what a header says of it can, so it
 * never stands alone: `203.0.113.9 via 10.0.0.2`.
 */
function addressOf({ socket, headers }: IncomingMessage): string {
  const own = socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown';
  const said = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
  return ADDRESS.test(said) ? `${said} via ${own}` : own;
}
