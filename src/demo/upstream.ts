import { createAppAuth } from '@octokit/auth-app';
import { createEmulator } from 'emulate';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { RunlinkError } from '../base/error.ts';
import type { StandInActor } from './actor.ts';
import { DEMO_APP } from './seed.ts';

/** The data that the emulator starts with. */
export interface Seed {
  /** The URL that its links use. */
  publicUrl: string;
  privateKey: string;
  people: readonly { login: string; name: string; email: string }[];
  organisation: string;
  repositories: readonly { name: string; description: string }[];
}

export interface UpstreamAnswer {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON; undefined for an empty body. */
  body: unknown;
}

/** The emulator behind the stand-in. Its state lives in memory and is rebuilt from the journal. */
export interface Emulator {
  send(actor: StandInActor, method: string, path: string, body?: unknown): Promise<UpstreamAnswer>;
  /** Text of the emulator with our URL in place of its own. */
  publicText(text: string): string;
  /** The response to a request of the keeper. Throws `standin_failed` if it fails. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** A person with all permissions, for the stand-in's own requests to the emulator. */
export const KEEPER: StandInActor = { kind: 'user', login: 'admin' };

const tokenOf = (login: string): string => `internal_${login}`;
const installationToken = z.object({ token: z.string() });
/** Headers that are passed on. */
const PASSED_HEADERS = ['link', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

type Tokens = (actor: StandInActor) => Promise<string | undefined>;

/** Starts the emulator on a free loopback port. */
export async function startUpstream(seed: Seed): Promise<Emulator> {
  const { tokens, ...github } = emulatorSeed(seed);
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: { tokens: tokens as Record<string, { login: string }>, github },
  });
  const loopback = emulator.url.replace('//localhost:', '//127.0.0.1:');
  const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
  const [inner, outer] = [new URL(emulator.url).host, new URL(seed.publicUrl).host];
  const publicText = (text: string): string => text.replaceAll(inner, outer);
  const tokenFor = tokenSource(loopback, dispatcher, seed.privateKey);
  const send: Emulator['send'] = async (actor, method, path, body) => {
    const token = await tokenFor(actor);
    const answer = await request(loopback + path, {
      dispatcher,
      method: method as 'GET',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = publicText(await answer.body.text());
    const headers = PASSED_HEADERS.flatMap((name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [[name, publicText(value)]] : [];
    });
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: text === '' ? undefined : readJson(text),
    };
  };
  return {
    send,
    publicText,
    async ask(method, path, body) {
      const { status, body: said } = await send(KEEPER, method, path, body);
      if (status < 300) return said;
      const message = `${method} ${path} answered ${status}: ${JSON.stringify(said)}`;
      throw new RunlinkError('standin_failed', message);
    },
    async close() {
      await dispatcher.destroy();
      await emulator.close();
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function emulatorSeed(seed: Seed): Record<string, unknown> {
  const logins = ['admin', ...seed.people.map((person) => person.login)];
  const { id, slug, name, installationId, permissions, events } = DEMO_APP;
  return {
    users: seed.people,
    orgs: [{ login: seed.organisation, members: [{ login: 'admin', role: 'admin' }] }],
    repos: seed.repositories.map((repository) => ({
      ...repository,
      owner: seed.organisation,
      auto_init: false,
    })),
    apps: [
      {
        app_id: id,
        slug,
        name,
        private_key: seed.privateKey,
        permissions,
        events: ['*', ...events],
        installations: [
          {
            installation_id: installationId,
            account: seed.organisation,
            repository_selection: 'all',
            permissions,
            events,
          },
        ],
      },
    ],
    tokens: Object.fromEntries(logins.map((login) => [tokenOf(login), { login }])),
  };
}

/** Tokens for the emulator: fixed ones for people, and one per set of an App's permissions. */
function tokenSource(url: string, dispatcher: Agent, privateKey: string): Tokens {
  const auth = createAppAuth({ appId: DEMO_APP.id, privateKey });
  const minted = new Map<string, Promise<string>>();
  const mint = async (actor: Extract<StandInActor, { kind: 'installation' }>): Promise<string> => {
    const { token: jwt } = await auth({ type: 'app' });
    const answer = await request(`${url}/app/installations/${actor.installationId}/access_tokens`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        permissions: actor.permissions,
        ...(actor.repositories && { repositories: actor.repositories }),
      }),
    });
    return installationToken.parse(await answer.body.json()).token;
  };
  return async (actor) => {
    if (actor.kind === 'anonymous') return undefined;
    if (actor.kind === 'user') return tokenOf(actor.login);
    if (actor.kind === 'app') return actor.jwt;
    const key = JSON.stringify(actor);
    const token = minted.get(key) ?? mint(actor);
    minted.set(key, token);
    return token;
  };
}
