import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as a scripted server got it. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Answers one request; may also break the connection. */
export type Script = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

export const breakOff: Script = (_, response) => {
  response.destroy();
};

/** The first half of a body that was promised whole. */
export const halfAnswer =
  (body: unknown): Script =>
  (_, response) => {
    const bytes = JSON.stringify(body);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    });
    response.write(bytes.slice(0, bytes.length / 2), () => response.destroy());
  };

export const silence: Script = () => undefined;

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/**
 * An HTTP server that answers as scripted, one script per request, the last one for all that
 * follow. Keeps what it was asked.
 */
export async function startScripted(
  ...scripts: readonly Script[]
): Promise<{ url: string; seen: SeenRequest[]; close(): Promise<void> }> {
  const seen: SeenRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://server');
    const item: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await text(request),
    };
    const script = scripts[Math.min(seen.length, scripts.length - 1)] ?? silence;
    seen.push(item);
    await script(item, response);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(() => (server.listening ? close() : undefined));
  return { url: `http://127.0.0.1:${port}`, seen, close };
}
