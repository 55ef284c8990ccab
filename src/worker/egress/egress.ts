import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage, RunlinkError } from '../../base/error.ts';
import type { ProxyVariables } from '../../client/node-http.ts';
import { listenForRun } from '../sandbox/run-socket.ts';
import { AllowList } from './allow-list.ts';
import { dial, type Target } from './dial.ts';

export interface EgressOrder {
  /** Entries of `network` in runlink.yaml. */
  network: readonly string[];
  /** The worker's own proxy variables. */
  proxyEnv: ProxyVariables;
  /**
   * Called once per denied host. `address` is set if the name is listed but leads to an address
   * that is not allowed.
   */
  onDenied(host: string, address: string | undefined): void;
}

export interface Egress {
  /**
   * Socket of a proxy for HTTP and CONNECT, to be bound into a sandbox that has no other network.
   */
  socket: string;
  close(): Promise<void>;
}

/** Nobody needs more connections at once, or more different denied hosts; more is a flood. */
const CONNECTIONS_MAX = 256;
const DENIED_MAX = 20;

/** Headers between a client and its proxy, which are not passed on. */
const HOP = [
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'upgrade',
  'te',
];

/** Opens the proxy through which a run reaches the listed hosts, and nothing else. */
export async function openEgress(order: EgressOrder): Promise<Egress> {
  const way = new Way(order);
  const server = createServer((request, response) => void way.forward(request, response));
  server.on('connect', (request, socket, head) => void way.tunnel(request, socket, head));
  server.on('connection', (socket) => way.hold(socket));
  server.maxConnections = CONNECTIONS_MAX;
  // An upload may take as long as the run works.
  server.requestTimeout = 0;
  const { socket, close } = await listenForRun(server, 'net');
  return {
    socket,
    close: async () => {
      way.end();
      await close();
    },
  };
}

class Way {
  readonly #order: EgressOrder;
  readonly #list: AllowList;
  readonly #open = new Set<Duplex>();
  readonly #denied = new Set<string>();

  constructor(order: EgressOrder) {
    this.#order = order;
    this.#list = new AllowList(order.network);
  }

  hold(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
  }

  end(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async tunnel(request: IncomingMessage, inside: Duplex, head: Buffer): Promise<void> {
    try {
      const { url = '' } = request;
      const target = /^[^/?#\\]+:\d{1,5}$/.test(url) && readTarget(`http://${url}`);
      if (!target) throw new Refused(400, 'CONNECT needs a host and a port.');
      const outside = await this.#reach(target);
      inside.once('close', () => outside.destroy());
      outside.once('close', () => inside.end());
      inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
      outside.write(head);
      inside.pipe(outside).pipe(inside);
    } catch (error) {
      const { status, message } = refusalOf(error);
      const body = `${message}\n`;
      inside.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    }
  }

  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = URL.parse(request.url ?? '');
      const target = url?.protocol === 'http:' && readTarget(url.href);
      if (!url || !target)
        throw new Refused(400, 'This is a proxy: it needs a whole http address.');
      const outside = await this.#reach(target);
      response.once('close', () => outside.destroy());
      const call = send({
        method: request.method,
        path: url.pathname + url.search,
        headers: passed(request, url.host),
        createConnection: () => outside,
      });
      call.on('error', () => outside.destroy());
      const answer = once(call, 'response') as Promise<[IncomingMessage]>;
      pipeline(request, call).catch(() => outside.destroy());
      const [said] = await answer;
      response.writeHead(said.statusCode ?? 502, withoutHops(said.headers));
      await pipeline(said, response);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const { status, message } = refusalOf(error);
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`${message}\n`);
    }
  }

  async #reach(target: Target): Promise<Socket> {
    if (!this.#list.allowsHost(target.host, target.port)) return this.#deny(target);
    try {
      const socket = await dial(target, this.#list, this.#order.proxyEnv);
      this.hold(socket);
      return socket;
    } catch (error) {
      if (!(error instanceof RunlinkError) || error.code !== 'address_refused') throw error;
      return this.#deny(target, error.message);
    }
  }

  #deny({ host, port }: Target, address?: string): never {
    const name = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    if (!this.#denied.has(name) && this.#denied.size < DENIED_MAX) {
      this.#denied.add(name);
      this.#order.onDenied(name, address);
    }
    const why = address === undefined ? '' : `: it leads to ${address}, which is not listed`;
    throw new Refused(403, `This run may not reach ${name}${why}.`);
  }
}

/** What the program inside gets as answer. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function refusalOf(error: unknown): { status: number; message: string } {
  if (error instanceof Refused) return error;
  return { status: 502, message: `The host could not be reached: ${errorMessage(error)}` };
}

/**
 * Parses an address the way browsers do, so that another spelling of it cannot get past the list.
 */
function readTarget(address: string): Target | undefined {
  const url = URL.parse(address);
  if (!url || url.username || url.password || !url.hostname) return undefined;
  const host = url.hostname.replaceAll(/[[\]]/g, '').replace(/\.$/, '');
  return { host, port: Number(url.port || 80) };
}

function passed({ headers }: IncomingMessage, host: string): OutgoingHttpHeaders {
  return { ...withoutHops(headers), host, connection: 'close' };
}

function withoutHops(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
