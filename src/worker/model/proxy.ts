import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { request as send, type Dispatcher } from 'undici';
import { errorMessage } from '../../base/error.ts';
import type { ModelAccess } from '../profile/profile.ts';
import { BRIDGE_PORT } from '../sandbox/sandbox.ts';
import type { ModelSession } from './model-session.ts';
import { TokenCounter } from './token-count.ts';

/** A model may think this long before its first word, and between two. */
const SILENCE_MAX_MS = 10 * 60_000;
const ERROR_BODY_MAX = 4000;

/** Headers that belong to one hop, or that carry the agent's dummy key. */
const DROPPED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'expect',
  'upgrade',
]);

export interface OpenedAccess {
  access: ModelAccess;
  /** Bound into a sandbox without network. */
  socket: string | undefined;
  close: () => Promise<void>;
}

/**
 * Stands between agents and their models: an agent holds a key that works only here, only while its
 * run lasts; the real key is added on the way out and is in no environment and no file of the agent.
 */
export class ModelProxy {
  private readonly sessions = new Map<string, ModelSession>();
  private readonly dispatcher: Dispatcher | undefined;
  private server: Server | undefined;

  constructor(dispatcher: Dispatcher | undefined) {
    this.dispatcher = dispatcher;
  }

  /** Lets one run reach its model; `viaSocket` for an agent that has no network. */
  async open(session: ModelSession, viaSocket: boolean): Promise<OpenedAccess> {
    const key = `rl-model-${randomBytes(24).toString('hex')}`;
    this.sessions.set(key, session);
    const path = new URL(session.upstream.baseUrl).pathname.replace(/\/+$/, '');
    if (viaSocket) {
      const { socket, close } = await this.listenOnSocket();
      const access = { baseUrl: `http://127.0.0.1:${BRIDGE_PORT}${path}`, key };
      return {
        access,
        socket,
        close: async () => {
          this.sessions.delete(key);
          await close();
        },
      };
    }
    const port = await this.listen();
    return {
      access: { baseUrl: `http://127.0.0.1:${port}${path}`, key },
      socket: undefined,
      close: async () => void this.sessions.delete(key),
    };
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async listen(): Promise<number> {
    if (!this.server) {
      this.server = createServer((incoming, outgoing) => void this.serve(incoming, outgoing));
      this.server.listen(0, '127.0.0.1');
      this.server.unref();
    }
    if (!this.server.listening) await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Socket paths are short: the kernel takes 107 bytes. */
  private async listenOnSocket(): Promise<{ socket: string; close: () => Promise<void> }> {
    const dir = await mkdtemp(join(tmpdir(), 'rl-'));
    const socket = join(dir, 'model');
    const server = createServer((incoming, outgoing) => void this.serve(incoming, outgoing));
    server.listen(socket);
    await once(server, 'listening');
    return {
      socket,
      close: async () => {
        server.closeAllConnections();
        server.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://proxy');
    const session = this.sessions.get(dummyKey(incoming, url));
    if (!session) return refuse(outgoing, 401, 'This key is not valid here.');
    if (session.exceeded) return refuse(outgoing, 403, 'The token budget of this run is used up.');
    session.began();
    try {
      await this.forward(session, incoming, outgoing, url);
    } catch (error) {
      // An agent that hangs up ends its own call; that says nothing about the model.
      if (outgoing.destroyed) return;
      session.failed({ status: undefined, message: errorMessage(error) });
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 502, 'The model could not be reached.');
    }
  }

  private async forward(
    session: ModelSession,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    url: URL,
  ): Promise<void> {
    const { upstream } = session;
    url.searchParams.delete('key');
    const method = incoming.method ?? 'GET';
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const answer = await send(new URL(upstream.baseUrl).origin + url.pathname + url.search, {
      method,
      headers: {
        ...forwardedHeaders(incoming),
        'accept-encoding': 'identity',
        [upstream.header]:
          upstream.header === 'authorization' ? `Bearer ${upstream.key}` : upstream.key,
      },
      body: method === 'GET' || method === 'HEAD' ? null : incoming,
      headersTimeout: SILENCE_MAX_MS,
      bodyTimeout: SILENCE_MAX_MS,
      signal: gone.signal,
      ...(this.dispatcher ? { dispatcher: this.dispatcher } : {}),
    });
    outgoing.writeHead(answer.statusCode, answerHeaders(answer.headers));
    if (answer.statusCode >= 400) return await passFailure(session, answer, outgoing);
    const type = String(answer.headers['content-type'] ?? '');
    const counter = new TokenCounter(type.includes('event-stream'));
    await pipeline(
      answer.body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          counter.push(chunk);
          yield chunk;
        }
      },
      outgoing,
    );
    const { model, tokens } = counter.end();
    session.succeeded({ model: model ?? modelInPath(url), tokens });
  }
}

/** Gemini names its model in the address, and not always in the answer. */
function modelInPath({ pathname }: URL): string | undefined {
  return /\/models\/([^/:]+)/.exec(pathname)?.[1];
}

async function passFailure(
  session: ModelSession,
  answer: Dispatcher.ResponseData,
  outgoing: ServerResponse,
): Promise<void> {
  const text = await answer.body.text();
  outgoing.end(text);
  const said = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  session.failed({ status: answer.statusCode, message: said.slice(0, ERROR_BODY_MAX) });
}

function dummyKey(incoming: IncomingMessage, url: URL): string {
  const { authorization } = incoming.headers;
  const other = incoming.headers['x-api-key'] ?? incoming.headers['x-goog-api-key'];
  return (
    authorization?.replace(/^Bearer /i, '') ?? String(other ?? url.searchParams.get('key') ?? '')
  );
}

function forwardedHeaders(incoming: IncomingMessage): Record<string, string> {
  const kept = Object.entries(incoming.headers).filter(([name]) => !DROPPED.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function answerHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !DROPPED.has(name) && name !== 'content-encoding',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ type: 'error', error: { type: 'proxy', code: status, message } }));
}
