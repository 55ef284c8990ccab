import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { RunlinkError } from '../../base/error.ts';
import type { ProxyVariables } from '../../client/node-http.ts';
import type { AllowList } from './allow-list.ts';

export interface Target {
  host: string;
  port: number;
}

const CONNECT_MS = 30_000;

/**
 * Connects to a listed host. Its name is resolved once and only those addresses are used, so a
 * second DNS answer cannot lead elsewhere. Throws `address_refused` with the address.
 */
export async function dial(
  target: Target,
  list: AllowList,
  proxyEnv: ProxyVariables,
): Promise<Socket> {
  const proxy = proxyFor(target, proxyEnv);
  if (proxy !== undefined) return await dialThrough(proxy, target, list);
  const addresses = isIP(target.host) === 0 ? await resolveAllowed(target, list) : [];
  const answered: LookupFunction = (_host, _options, answer) => answer(null, addresses);
  return await connected(
    connect({ ...target, lookup: answered, autoSelectFamily: true, allowHalfOpen: true }),
  );
}

async function connected(socket: Socket): Promise<Socket> {
  // A later error shows as the end of the connection.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function resolveAllowed({ host, port }: Target, list: AllowList): Promise<LookupAddress[]> {
  const found = await promisify(dns.lookup)(host, { all: true });
  const open = found.filter(({ address }) => list.allowsAddress(address, port));
  const [first] = found;
  if (open.length === 0 && first) throw new RunlinkError('address_refused', first.address);
  return open;
}

/**
 * If the worker itself needs a proxy, the proxy resolves the name. If the name can be resolved here
 * too, its addresses are checked all the same.
 */
async function dialThrough(proxy: URL, target: Target, list: AllowList): Promise<Socket> {
  if (isIP(target.host) === 0)
    await resolveAllowed(target, list).catch((error: unknown) => {
      if (error instanceof RunlinkError) throw error;
    });
  const host = isIP(target.host) === 6 ? `[${target.host}]` : target.host;
  const authorization = Buffer.from(
    `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`,
  ).toString('base64');
  const call = (proxy.protocol === 'https:' ? https : http).request({
    host: proxy.hostname.replaceAll(/[[\]]/g, ''),
    port: proxy.port || undefined,
    method: 'CONNECT',
    path: `${host}:${target.port}`,
    headers: {
      host: `${host}:${target.port}`,
      ...(proxy.username ? { 'proxy-authorization': `Basic ${authorization}` } : {}),
    },
    agent: false,
    signal: AbortSignal.timeout(CONNECT_MS),
  });
  call.end();
  const [answer, socket] = (await once(call, 'connect')) as [{ statusCode?: number }, Socket];
  socket.on('error', () => undefined);
  if (answer.statusCode === 200) return socket;
  socket.destroy();
  throw new Error(`The worker's proxy answered ${answer.statusCode}.`);
}

/** The proxy that the worker should use for this host; reads the variables as curl does. */
function proxyFor({ host, port }: Target, variables: ProxyVariables): URL | undefined {
  const value = (name: string): string => variables[name] ?? variables[name.toUpperCase()] ?? '';
  const exempt = value('no_proxy')
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((each) => each.toLowerCase().replace(/^\*?\./, ''));
  const isExempt = exempt.some(
    (each) =>
      each === '*' || each === host || each === `${host}:${port}` || host.endsWith(`.${each}`),
  );
  const named = value(port === 80 ? 'http_proxy' : 'https_proxy');
  return named === '' || isExempt ? undefined : (URL.parse(named) ?? undefined);
}
