import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RequestError, getRequestListener } from '@hono/node-server';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen, type Address } from '../../base/listen.ts';
import { ProblemError, toProblem } from '../../contract/problem.ts';
import { withAddress } from './caller-address.ts';

/** A listening HTTP server. */
export interface Listening {
  /** The URL on this machine, such as `http://127.0.0.1:8787`. */
  url: string;
  /** Stops taking requests, lets those under way finish for a while, then cuts them off. */
  close(drainMs?: number): Promise<void>;
}

const DRAIN_MS = 10_000;
/** While closing: how often connections that became idle are closed. */
const IDLE_MS = 50;
/** A client must have sent its headers within this time. */
const HEADERS_WITHIN_MS = 30_000;

export interface ListenOptions extends Address {
  /** Gets each request first, in Node's form; returns true if it handled it, as for webhooks. */
  first?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** Number of unanswered requests per connection. */
const underWay = new WeakMap<Duplex, number>();

const PROBLEM_TYPE = 'application/problem+json';

/** Serves a fetch handler over HTTP. */
export async function serveHttp(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port, first }: ListenOptions,
): Promise<Listening> {
  const answer = getRequestListener(fetch, { errorHandler: answerFailure });
  let closing = false;
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 0) - 1));
    if (closing) response.setHeader('connection', 'close');
    const taken = first?.(request, response) ?? Promise.resolve(false);
    taken.then(
      (done) => (done ? undefined : withAddress(request, () => answer(request, response))),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  };
  // The listener refuses a missing Host with a message, and unknown expectations are ignored.
  const server = createServer({ requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
  server.headersTimeout = HEADERS_WITHIN_MS;
  server.on('clientError', answerUnreadable);
  const url = await listen(server, { host, port });
  return {
    url,
    async close(drainMs = DRAIN_MS) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A browser keeps its connection after an answer and would send further requests on it.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

function malformed(detail: string): string {
  return JSON.stringify(toProblem(new ProblemError('invalid_request', { detail }), '/'));
}

/** Answers bytes that are not a valid request like any other refusal, and closes the connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const isFirst = socket instanceof Socket && socket.bytesWritten === 0;
  const mayAnswer = isFirst || (isTooLarge && !underWay.get(socket));
  if (!mayAnswer || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // Clients retry a 408; under load the delay may be our fault.
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    return;
  }
  const body = malformed(isTooLarge ? 'The headers are too large.' : 'It is not well-formed HTTP.');
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Connection: close',
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** Answers a request with an invalid URL or Host. */
function answerFailure(error: unknown): Response {
  if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
  return new Response(malformed(error.message), {
    status: 400,
    headers: { 'content-type': PROBLEM_TYPE },
  });
}
