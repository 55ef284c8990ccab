import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a fake server saw it. */
export interface Seen {
  method: string;
  /** Path with query. */
  url: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** What JSON says; an image as base64. */
  body: unknown;
  at: number;
}

export interface Answer {
  status: number;
  json?: unknown;
  /** Sent as it is, instead of `json`. */
  text?: string | Buffer;
  headers?: Record<string, string>;
}

/** How a server misbehaves, instead of answering a request it matches. */
export type Fault =
  | {
      kind: 'status';
      status: number;
      headers?: Record<string, string>;
      message?: string;
      /** In the place of what the message would make. */
      body?: object;
    }
  | { kind: 'reset' | 'half' | 'garbage' | 'hang' }
  | { kind: 'slow'; ms: number };

export interface FaultRule {
  matches: (seen: Seen) => boolean;
  fault: Fault;
  /** Misbehaves this often, then no more. */
  times: number;
  /** The request takes effect all the same; only its answer is lost. */
  effective?: boolean;
}

export interface FakeServer {
  url: string;
  seen: Seen[];
  faults: FaultRule[];
  close(): Promise<void>;
}

type Answerer = (seen: Seen) => Promise<Answer> | Answer;

/** A real HTTP server on a free port whose answers a function gives, with faults on demand. */
export async function startFake(answer: Answerer): Promise<FakeServer> {
  const seen: Seen[] = [];
  const faults: FaultRule[] = [];
  const server = createServer((request, response) => {
    serve(request, response, answer, { seen, faults }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    faults,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answerer,
  { seen, faults }: Pick<FakeServer, 'seen' | 'faults'>,
): Promise<void> {
  const one = await readSeen(request);
  seen.push(one);
  const rule = faults.find((candidate) => candidate.times > 0 && candidate.matches(one));
  if (!rule) return send(response, await answer(one));
  rule.times -= 1;
  const { fault } = rule;
  if (fault.kind === 'slow') {
    await new Promise((resolve) => setTimeout(resolve, fault.ms));
    return send(response, await answer(one));
  }
  misbehave(response, fault, rule.effective === true ? await answer(one) : undefined);
}

async function readSeen(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const isImage = request.headers['content-type']?.startsWith('image/') === true;
  const url = new URL(request.url ?? '/', 'http://server');
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: isImage ? bytes.toString('base64') : parsed(bytes.toString('utf8')),
    at: performance.now(),
  };
}

function parsed(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

function send(response: ServerResponse, { status, json, text, headers }: Answer): void {
  const body = text ?? (json === undefined ? '' : JSON.stringify(json));
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(status === 204 || status === 304 ? undefined : body);
}

function misbehave(
  response: ServerResponse,
  fault: Exclude<Fault, { kind: 'slow' }>,
  lost: Answer | undefined,
): void {
  const body = JSON.stringify(lost?.json ?? { some: 'answer that nobody will see whole' });
  switch (fault.kind) {
    case 'hang':
      return;
    case 'reset':
      response.destroy();
      return;
    case 'half':
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.length,
      });
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>not what was asked for</html>');
      return;
    case 'status':
      send(response, {
        status: fault.status,
        json: fault.body ?? {
          message: fault.message ?? 'scripted failure',
          error: 'scripted failure',
        },
        ...(fault.headers ? { headers: fault.headers } : {}),
      });
  }
}
