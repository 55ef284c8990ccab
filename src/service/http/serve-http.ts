import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RequestError, getRequestListener } from '@hono/node-server';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen, type Address } from '../../base/listen.ts';
import { ProblemError, toProblem } from '../../contract/problem.ts';
import { withAddress } from './caller-address.ts';

/** A listening HTTP server. */
export interface Listening {
  /** `http://127.0.0.1:8787`, as others on this machine reach it. */
  url: string;
  /** Takes no new requests, lets those under way finish for a while, then cuts them. */
  close(drainMs?: number): Promise<void>;
}

const DRAIN_MS = 10_000;
/** How often connections that have become idle are closed at the end. */
const IDLE_MS = 50;
/** A client that has not sent its headers by then is not coming. */
const HEADERS_WITHIN_MS = 30_000;

export interface ListenOptions extends Address {
  /** Sees each request first, as Node has it; answers true for those it took, such as webhooks. */
  first?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** How many requests of a connection are not yet answered. */
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
  // A missing Host is refused by the listener, in words; an expectation nobody knows is passed over.
  const server = createServer({ requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
  server.headersTimeout = HEADERS_WITHIN_MS;
  server.on('clientError', refuse);
  const url = await listen(server, { host, port });
  return {
    url,
    async close(drainMs = DRAIN_MS) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A tab that was answered keeps its connection, and would ask on it again and again.
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

/** What never became a request is answered as any other refusal, and its connection closed. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const isFirst = socket instanceof Socket && socket.bytesWritten === 0;
  const mayAnswer = isFirst || (isTooLarge && !underWay.get(socket));
  if (!mayAnswer || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // Clients send it again: under load it is not theirs that it came late.
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

/** What became a request only in part: a URL or Host that is none. */
function answerFailure(error: unknown): Response {
  if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
  return new Response(malformed(error.message), {
    status: 400,
    headers: { 'content-type': PROBLEM_TYPE },
  });
}
