import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { z } from 'zod';
import { errorMessage } from '../base/error.ts';
import { closeNow, listen } from '../base/listen.ts';
import type { Log } from '../base/log.ts';
import type { StandInActor } from './actor.ts';
import { createApi } from './api.ts';
import type { ApiEnv } from './api-context.ts';
import { createQueue, gitPlaceOf, read, type StandInContext } from './context.ts';
import { Deliveries } from './deliveries.ts';
import { createFaults, type Faults } from './faults.ts';
import { readRefs } from './git.ts';
import { createHandler } from './handler.ts';
import { createEventIntake } from './intake.ts';
import { clientSecretOf } from './oauth.ts';
import { openJournal, type JournalEntry } from './journal.ts';
import { createThreadPages } from './pages.ts';
import { plantRepository } from './plant.ts';
import { followRef, takeIn } from './refs.ts';
import { replay } from './replay.ts';
import { DEMO_APP, DEMO_ISSUE, DEMO_PEOPLE, DEMO_REPOSITORY } from './seed.ts';
import { readDemoSettings, writeSettings, type StandInSettings } from './settings.ts';
import { createState, refsOf } from './state.ts';
import { hear } from './transfer.ts';
import { startUpstream, type Seed, type Emulator } from './upstream.ts';

export interface StandInOptions {
  /** Where its state is kept, from which the next start continues. */
  dataDir: string;
  /** By default the port of the last start, or any free one. */
  port?: number;
  /** A `PATH` with git. */
  path: string;
  log: Log;
}

const REPOSITORY = `${DEMO_REPOSITORY.owner}/${DEMO_REPOSITORY.name}`;
const ISSUE = 1;

const PROTECTION = {
  required_status_checks: null,
  enforce_admins: true,
  required_pull_request_reviews: null,
  restrictions: null,
};

/** A running stand-in for github.com, with one App, one repository and two people. */
export interface GithubStandIn {
  url: string;
  /** For `--github-api-url` and Octokit's `baseUrl`. */
  apiUrl: string;
  app: {
    id: number;
    slug: string;
    privateKey: string;
    webhookSecret: string;
    /** OAuth client of the App. */
    clientId: string;
    clientSecret: string;
    installationId: number;
    botLogin: string;
  };
  maintainer: { login: string; token: string };
  stranger: { login: string; token: string };
  repository: {
    owner: string;
    /** Id of the organisation that owns it. */
    ownerId: number;
    name: string;
    cloneUrl: string;
    issueNumber: number;
    issueUrl: string;
  };
  /** URL for webhooks; undefined while the App is away. */
  setWebhookUrl(url: string | undefined): void;
  faults: Faults;
  /** Changes settings that only an administrator can. */
  protectBranch(branch: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the stand-in on loopback and continues from what its data directory holds. */
export async function startGithubStandIn(options: StandInOptions): Promise<GithubStandIn> {
  const { dataDir, log } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const saved = await readDemoSettings(
    dataDir,
    Object.values(DEMO_PEOPLE).map(({ login }) => login),
  );
  let handle: ReturnType<typeof createHandler>['handle'] | undefined;
  const server = createServer((request, response) => {
    const answer = handle?.(request, response) ?? Promise.resolve(response.writeHead(503).end());
    answer.catch((error: unknown) => {
      log.error({ method: request.method, reason: errorMessage(error) }, 'stand-in request failed');
      response.destroy();
    });
  });
  const wanted = options.port ?? saved.port;
  const publicUrl = await listenSomewhere(server, wanted, options.port !== undefined);
  const settings = { ...saved, port: Number(new URL(publicUrl).port) };
  await writeSettings(dataDir, settings);
  const upstream = await startUpstream(seedFor(publicUrl, settings.privateKey));
  const { context, entries } = await openContext(options, upstream, publicUrl, settings);
  const intake = createEventIntake(context.state, context.deliveries);
  const api = createApi(context, intake);
  await remember(context, api, entries);
  const faults = createFaults();
  const handler = createHandler({
    context,
    api,
    intake,
    pages: createThreadPages(context, clientSecretOf(settings.webhookSecret)),
    faults,
  });
  handle = handler.handle;
  await hearEvents(context, publicUrl + handler.eventPath);
  return {
    ...describe(context, settings, await ownerIdOf(upstream)),
    faults,
    setWebhookUrl(url) {
      context.deliveries.setUrl(url);
    },
    async protectBranch(branch) {
      const path = `/repos/${REPOSITORY}/branches/${branch}/protection`;
      await upstream.ask('PUT', path, PROTECTION);
    },
    async close() {
      await closeNow(server);
      await context.deliveries.close();
      await upstream.close();
      await context.journal.close();
    },
  };
}

/** The wanted port, or any free one if it is taken. */
async function listenSomewhere(server: Server, port: number, insists: boolean): Promise<string> {
  const host = '127.0.0.1';
  try {
    return await listen(server, { host, port });
  } catch (error) {
    if (insists || port === 0) throw error;
    return listen(server, { host, port: 0 });
  }
}

function seedFor(publicUrl: string, privateKey: string): Seed {
  const { owner, name } = DEMO_REPOSITORY;
  return {
    publicUrl,
    privateKey,
    people: Object.values(DEMO_PEOPLE),
    organisation: owner,
    repositories: [{ name, description: 'Prices for orders of widgets.' }],
  };
}

async function letMaintainerWrite(upstream: Emulator): Promise<void> {
  const path = `/repos/${REPOSITORY}/collaborators/${DEMO_PEOPLE.maintainer.login}`;
  await upstream.ask('PUT', path, { permission: 'push' });
}

/** On GitHub an App's bot exists from the start; emulate creates it at the first write. */
async function wakeBot(upstream: Emulator): Promise<void> {
  const { installationId, permissions } = DEMO_APP;
  const bot: StandInActor = {
    kind: 'installation',
    installationId,
    permissions: { ...permissions },
  };
  await upstream.send(bot, 'POST', `/repos/${REPOSITORY}/issues/0/comments`, { body: 'nowhere' });
}

/** Subscribes to all events from now on; before this, the replay repeated old ones. */
async function hearEvents(context: StandInContext, url: string): Promise<void> {
  const { state } = context;
  state.eventUrl = url;
  const others = [...state.moved.values()].map((issue) => new URL(issue).pathname);
  const repositories = others.map((path) => path.replace(/\/issues\/\d+$/, ''));
  for (const repository of new Set([`/repos/${REPOSITORY}`, ...repositories]))
    await hear(context, repository, url);
}

async function openContext(
  options: StandInOptions,
  upstream: Emulator,
  publicUrl: string,
  settings: StandInSettings,
): Promise<{ context: StandInContext; entries: JournalEntry[] }> {
  const { journal, entries } = await openJournal(join(options.dataDir, 'journal.jsonl'));
  const state = createState(publicUrl);
  for (const [login, token] of Object.entries(settings.tokens))
    state.tokens.set(token, { kind: 'user', login });
  const context: StandInContext = {
    state,
    upstream,
    journal,
    deliveries: new Deliveries(journal, settings.webhookSecret),
    gitRoot: join(options.dataDir, 'git'),
    path: options.path,
    app: settings,
    known: new Set(),
    exclusive: createQueue(),
  };
  return { context, entries };
}

/** Marks the current state of the repository as known, so that it causes no events. */
async function begin(
  context: StandInContext,
  actor: StandInActor,
  refs: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [ref, after] of refs) {
    const change = { actor, repository: REPOSITORY, ref, before: '', after };
    await context.journal.append({ type: 'ref', at: new Date().toISOString(), ...change });
    await followRef(context, change);
  }
}

/** Restores the earlier state, or creates the first one. */
async function remember(
  context: StandInContext,
  api: Hono<ApiEnv>,
  entries: readonly JournalEntry[],
): Promise<void> {
  const place = gitPlaceOf(context, REPOSITORY);
  await plantRepository(place);
  refsOf(context.state, REPOSITORY);
  await letMaintainerWrite(context.upstream);
  await wakeBot(context.upstream);
  await replay(context, api, entries);
  const maintainer: StandInActor = { kind: 'user', login: DEMO_PEOPLE.maintainer.login };
  const refs = await readRefs(place);
  if (entries.length > 0) await takeIn(context, maintainer, REPOSITORY, refs);
  else await begin(context, maintainer, refs);
  if (await read(context, `/repos/${REPOSITORY}/issues/${ISSUE}`)) return;
  const at = new Date().toISOString();
  const path = `/repos/${REPOSITORY}/issues`;
  const body = JSON.stringify(DEMO_ISSUE);
  const entry = { type: 'request', at, actor: maintainer, method: 'POST', path, body } as const;
  await context.journal.append(entry);
  await replay(context, api, [entry]);
}

function describe(
  context: StandInContext,
  settings: StandInSettings,
  ownerId: number,
): Pick<GithubStandIn, 'url' | 'apiUrl' | 'app' | 'maintainer' | 'stranger' | 'repository'> {
  const url = context.state.publicUrl;
  const { privateKey, webhookSecret, tokens } = settings;
  const { id, slug, installationId } = DEMO_APP;
  const person = (login: string): { login: string; token: string } => ({
    login,
    token: tokens[login] ?? '',
  });
  return {
    url,
    apiUrl: `${url}/api/v3`,
    app: {
      id,
      slug,
      privateKey,
      webhookSecret,
      clientId: DEMO_APP.clientId,
      clientSecret: clientSecretOf(webhookSecret),
      installationId,
      botLogin: `${slug}[bot]`,
    },
    maintainer: person(DEMO_PEOPLE.maintainer.login),
    stranger: person(DEMO_PEOPLE.stranger.login),
    repository: {
      ...DEMO_REPOSITORY,
      ownerId,
      cloneUrl: `${url}/${REPOSITORY}.git`,
      issueNumber: ISSUE,
      issueUrl: `${url}/${REPOSITORY}/issues/${ISSUE}`,
    },
  };
}

async function ownerIdOf(upstream: Emulator): Promise<number> {
  const said = await upstream.ask('GET', `/orgs/${DEMO_REPOSITORY.owner}`);
  return z.object({ id: z.int() }).parse(said).id;
}
