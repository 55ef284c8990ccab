import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dispatcher } from 'undici';
import { errorMessage } from '../../base/error.ts';
import { trimEnd } from '../../base/trim-end.ts';
import type { ModelAccess } from '../profile/profile.ts';
import { MODEL_PORT } from '../sandbox/confinement.ts';
import { listenForRun } from '../sandbox/run-socket.ts';
import { meteringOf } from './calls.ts';
import { forward, refuseCall } from './forward.ts';
import type { ModelSession } from './model-session.ts';

export interface OpenedAccess {
  access: ModelAccess;
  /** Socket to be bound into a sandbox without network. */
  socket: string | undefined;
  close: () => Promise<void>;
}

/**
 * The proxy between agents and their models. An agent's key works only here and only while its run
 * lasts. The real key is added when a call is passed on, so no environment and no file of the agent
 * contains it.
 */
export class ModelProxy {
  readonly #sessions = new Map<string, { session: ModelSession; over: AbortController }>();
  readonly #dispatcher: Dispatcher | undefined;
  #server: Server | undefined;

  constructor(dispatcher: Dispatcher | undefined) {
    this.#dispatcher = dispatcher;
  }

  /** Lets one run reach its model; `viaSocket` for an agent without network. */
  async open(session: ModelSession, viaSocket: boolean): Promise<OpenedAccess> {
    const key = `rl-model-${randomBytes(24).toString('hex')}`;
    const over = new AbortController();
    this.#sessions.set(key, { session, over });
    const end = (): void => {
      this.#sessions.delete(key);
      over.abort();
    };
    const path = basePath(session);
    if (viaSocket) {
      const { socket, close } = await listenForRun(this.#createServer(), 'model');
      const access = { baseUrl: `http://127.0.0.1:${MODEL_PORT}${path}`, key };
      return {
        access,
        socket,
        close: async () => {
          end();
          await close();
        },
      };
    }
    const port = await this.#listen();
    return {
      access: { baseUrl: `http://127.0.0.1:${port}${path}`, key },
      socket: undefined,
      close: async () => end(),
    };
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  async #listen(): Promise<number> {
    if (!this.#server) {
      this.#server = this.#createServer();
      this.#server.listen(0, '127.0.0.1');
      this.#server.unref();
    }
    if (!this.#server.listening) await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  #createServer(): Server {
    return createServer((incoming, outgoing) => void this.#serve(incoming, outgoing));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = URL.parse(incoming.url ?? '/', 'http://proxy');
    const opened = url && this.#sessions.get(dummyKey(incoming, url));
    if (!url || !opened) return refuseCall(outgoing, 401, 'This key is not valid here.');
    const { session, over } = opened;
    const { protocol } = session.upstream;
    const metering = meteringOf(protocol, incoming.method ?? '', url, basePath(session));
    if (!metering) return refuseCall(outgoing, 404, 'A model does not need this call.');
    if (session.exceeded)
      return refuseCall(outgoing, 403, 'The token budget of this run is used up.');
    session.began();
    const dispatcher = this.#dispatcher;
    try {
      await forward({ session, metering, incoming, outgoing, url, dispatcher, over: over.signal });
    } catch (error) {
      // The agent hung up, which says nothing about the model.
      if (outgoing.destroyed) return;
      session.failed({ status: undefined, message: errorMessage(error) });
      if (outgoing.headersSent) outgoing.destroy();
      else refuseCall(outgoing, 502, 'The model could not be reached.');
    }
  }
}

function basePath({ upstream }: ModelSession): string {
  return trimEnd(new URL(upstream.baseUrl).pathname, '/');
}

function dummyKey(incoming: IncomingMessage, url: URL): string {
  const { authorization } = incoming.headers;
  const other = incoming.headers['x-api-key'] ?? incoming.headers['x-goog-api-key'];
  return (
    authorization?.replace(/^Bearer /i, '') ?? String(other ?? url.searchParams.get('key') ?? '')
  );
}
