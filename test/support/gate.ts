import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request on its way: `answer` is there once the service has given it. */
export interface Passing {
  /** Method and path, such as `POST /api/v1/worker/claim`. */
  route: string;
  body: string;
  answer: string | undefined;
}

/** One request that does not get through. */
export interface Hold {
  /** Settles when the request has come. */
  reached: Promise<void>;
  /** Lets it go on. */
  release(): void;
}

/** A way to a service on which single requests, or their answers, are held back. */
export interface Gate {
  url: string;
  /** Holds the first request that this is true of: before it takes effect, or with its answer. */
  hold(matches: (passing: Passing) => boolean): Hold;
  close(): Promise<void>;
}

interface Held {
  matches: (passing: Passing) => boolean;
  arrive: () => void;
  released: Promise<void>;
}

/**
 * Opens a gate in front of `target`. Who hangs up takes back what it asked, as on a real network.
 */
export async function openGate(target: string): Promise<Gate> {
  const holds = new Set<Held>();
  const pass = async (passing: Passing): Promise<void> => {
    const held = [...holds].find(({ matches }) => matches(passing));
    if (!held) return;
    holds.delete(held);
    held.arrive();
    await held.released;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method} ${request.url}`;
    const body = await buffer(request);
    await pass({ route, body: body.toString(), answer: undefined });
    if (request.socket.destroyed) return;
    const answer = await forward(target, request, body, response);
    const content = await buffer(answer);
    await pass({ route, body: body.toString(), answer: content.toString() });
    const { 'transfer-encoding': _, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 500, headers).end(content);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(matches) {
      const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      holds.add({ matches, arrive, released });
      return { reached, release };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { host: _, 'transfer-encoding': __, ...kept } = headers;
    const call = ask(target + url, {
      method,
      headers: { ...kept, 'content-length': body.length },
    });
    call.on('error', reject).on('response', resolve).end(body);
    response.once('close', () => call.destroy());
  });
}
