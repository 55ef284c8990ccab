import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import type { Logger } from 'pino';
import { closeInTurn } from '../../base/close-in-turn.ts';
import { RunlinkError } from '../../base/error.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { createClient, type Client } from '../../client/client.ts';
import { startGithubStandIn, type GithubStandIn } from '../../demo/standin.ts';
import { WEBHOOK_PATH } from '../../app/http/receive.ts';
import {
  DEFAULT_TEAM,
  OWNER,
  createPersonalKey,
  ensureTeam,
  ensureUser,
} from '../../service/keys/manage-keys.ts';
import { createSignInLink } from '../../service/sessions/sessions.ts';
import { ensureKeyFile } from '../serve/key-file.ts';
import { startServing, type ServeOptions, type Serving } from '../serve/start-serving.ts';
import { useProxies } from '../serve/use-proxies.ts';
import { demoConfig } from './demo-config.ts';

export interface WorldOptions {
  dataDir: string;
  host: string;
  /** Undefined: the default port, or any free one if that is taken. */
  port: number | undefined;
  agent: string;
  log: Logger;
}

/**
 * Everything the story needs on this machine: a stand-in for GitHub, and Runlink with its App and
 * worker.
 */
export interface World {
  github: GithubStandIn;
  /** GitHub as the maintainer uses it. */
  maintainer: Octokit;
  serving: Serving;
  client: Client;
  /** A link that signs the owner in to the pages, once. */
  signInLink(): Promise<string>;
  close(): Promise<void>;
}

/**
 * How often a comment may be edited: often, because the stand-in has no limits and the demo's run
 * takes seconds.
 */
const TICK_MS = 500;
const USUAL_PORT = 8787;
const GRACE_MS = 2000;

/** Starts everything, continuing from what the data directory holds. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const { dataDir, log, host } = options;
  await makeFolder(dataDir);
  const github = await startGithubStandIn({
    dataDir: join(dataDir, 'github'),
    path: process.env['PATH'] ?? '',
    log: log.child({ part: 'github' }),
  });
  const { id: appId, privateKey, webhookSecret, clientId, clientSecret } = github.app;
  const serving = await serveSomewhere(
    {
      host,
      database: { dataDir, role: 'owner' },
      dataDir,
      config: demoConfig(github, options.agent),
      variables: {
        ...process.env,
        APP_ID: String(appId),
        PRIVATE_KEY: privateKey,
        GITHUB_CLIENT_ID: clientId,
        GITHUB_CLIENT_SECRET: clientSecret,
      },
      useProxy: await useProxies(process.env, host),
      worker: {},
      app: {
        appId,
        privateKey,
        secrets: [webhookSecret],
        githubApiUrl: github.apiUrl,
        team: DEFAULT_TEAM,
        settings: { editEveryMs: TICK_MS, lookEveryMs: TICK_MS },
      },
      setup: { githubApiUrl: github.apiUrl, file: join(dataDir, 'rehearsed-app.env') },
      log,
    },
    options.port,
  ).catch(async (error: unknown) => {
    await github.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await closeInTurn(
      () => serving.close(GRACE_MS),
      () => github.close(),
    );
  };
  try {
    github.setWebhookUrl(serving.url + WEBHOOK_PATH);
    const { service, apiBaseUrl: baseUrl } = serving;
    const apiKey = await ensureKeyFile(join(dataDir, 'story.key'), service, () =>
      createPersonalKey(service.context.db, { team: DEFAULT_TEAM, user: OWNER, name: 'npm start' }),
    );
    return {
      github,
      maintainer: new Octokit({ auth: github.maintainer.token, baseUrl: github.apiUrl, log }),
      serving,
      client: createClient({ baseUrl, apiKey }),
      signInLink: () => signInLink(serving),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function signInLink({ service, url }: Serving): Promise<string> {
  const { db } = service.context;
  const teamId = await ensureTeam(db, DEFAULT_TEAM);
  const userId = await ensureUser(db, teamId, OWNER);
  const { token } = await createSignInLink(db, { userId, teamId });
  return `${url}/login?token=${token}`;
}

/**
 * Listens on the given port; without one on the default port or, if that is taken, on any free one.
 */
async function serveSomewhere(
  options: Omit<ServeOptions, 'port'>,
  port: number | undefined,
): Promise<Serving> {
  try {
    return await startServing({ ...options, port: port ?? USUAL_PORT });
  } catch (error) {
    const taken = error instanceof RunlinkError && error.code === 'cannot_listen';
    if (!taken || port !== undefined) throw error;
    return startServing({ ...options, port: 0 });
  }
}
