import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Probot, ProbotOctokit } from 'probot';
import { afterAll, vi } from 'vitest';
import { accessBy } from '../../src/app/connect-github.ts';
import { createApp, type App, type AppOptions } from '../../src/app/create-app.ts';
import { createAppListener } from '../../src/app/http/listener.ts';
import { appMigrations } from '../../src/app/store/migrations.ts';
import { createClient } from '../../src/client/client.ts';
import { openTables, type Tables } from '../../src/database/open-database.ts';
import { deliver } from './app.ts';
import { createTestDatabase } from './database.ts';
import { startFakeGithub } from './fake-github.ts';
import type { FakeGithub } from './fake-github-shape.ts';
import { startFakeService, type FakeRun, type FakeService } from './fake-service.ts';
import { testLog } from './test-log.ts';

/** An issue or pull request of a repository that no other test touches. */
export interface Place {
  repository: string;
  number: number;
}

export interface Sent {
  guid: string;
  /** Id of the comment, for its reactions. */
  id: number;
}

/** The App in this process between a fake GitHub and a fake service, on a real database. */
export interface AppWorld {
  github: FakeGithub;
  service: FakeService;
  database: Tables<unknown>;
  url: string;
  /** What it would show to Prometheus. */
  metrics(): Promise<string>;
  /** Another App takes over after this one has stopped. */
  restart(meanwhile: () => Promise<void> | void): Promise<void>;
  /** A thread in a repository of its own, with this `.github/runlink.yml`. */
  place(config?: string): Place;
  /** Somebody comments; `alice` may write. */
  say(place: Place, body: string, by?: Sender, more?: object): Promise<Sent>;
  send(event: string, payload: object, guid?: string): Promise<string>;
  /** What became of a delivery, once it was handled; several codes are joined by commas. */
  reasonOf(sent: { guid: string }): Promise<string>;
  runsOf(place: Place): FakeRun[];
  /** The only run of a place, once it is there. */
  runOf(place: Place): Promise<FakeRun>;
  /** Bodies of the App's comments. */
  bodiesOn(place: Place): string[];
  reactionsOn(id: number): string[];
  close(): Promise<void>;
}

export interface Sender {
  login: string;
  type?: string;
}

export const BOT = 'runlink[bot]';
export const SECRETS = ['the new secret', 'the old secret'];
export const INSTALLATION = 100;

let last = 0;

/** `reach` answers the address by which the App reaches the database. */
export async function startAppWorld({
  reach = (url) => Promise.resolve(url),
  ...options
}: Partial<AppOptions> & {
  reach?: (databaseUrl: string) => Promise<string>;
} = {}): Promise<AppWorld> {
  const [github, service, stored] = await Promise.all([
    startFakeGithub(),
    startFakeService(),
    createTestDatabase(),
  ]);
  github.login = BOT;
  github.people['alice'] = { permission: 'write', role_name: 'write' };
  github.people['mallory'] = { permission: 'read', role_name: 'read' };
  const database = await openTables<unknown>({
    location: { url: await reach(stored.url) },
    schema: 'app',
    migrations: appMigrations,
    log: testLog,
  });
  const create = (): App =>
    createApp({
      tables: database,
      client: createClient({ baseUrl: service.apiUrl, apiKey: 'test-key' }),
      github: accessBy(probotByToken(github.url), new Map([[INSTALLATION, 4321]])),
      secrets: SECRETS,
      hide: ['test-key'],
      log: testLog,
      windows: [],
      ...options,
      settings: { editEveryMs: 0, ...options.settings },
    });
  let app = create();
  const listener = createAppListener({
    handle: (request, response) => app.handle(request, response),
    readiness: () => app.readiness(),
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app.start();
  return {
    github,
    service,
    database,
    url,
    metrics: () => app.metrics.registry.metrics(),
    restart: async (meanwhile) => {
      await app.stop();
      await meanwhile();
      app = create();
      app.start();
    },
    ...actions({ github, service, database, url }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await app.stop();
      await database.close();
      await Promise.all([github.close(), service.close(), stored.drop()]);
    },
  };
}

/** Probot as its own tests make it: signed in by token, with its pacing and retries off. */
export function probotByToken(baseUrl: string): Probot {
  return new Probot({
    githubToken: 'test-token',
    baseUrl,
    log: pino({ level: 'silent' }),
    Octokit: ProbotOctokit.defaults((options: object) => ({
      ...options,
      retry: { enabled: false },
      throttle: { enabled: false },
    })),
  });
}

type Actions = Pick<
  AppWorld,
  'place' | 'say' | 'send' | 'reasonOf' | 'runsOf' | 'runOf' | 'bodiesOn' | 'reactionsOn'
>;

function actions({
  github,
  service,
  database,
  url,
}: Pick<AppWorld, 'github' | 'service' | 'database' | 'url'>): Actions {
  const webhook = { webhookUrl: `${url}/api/github/webhooks` };
  const send: AppWorld['send'] = async (event, payload, guid = randomUUID()) => {
    const whole = { installation: { id: INSTALLATION }, ...payload };
    const [secret = ''] = SECRETS;
    return (await deliver(webhook, secret, event, whole, guid)).reason;
  };
  const runsOf: AppWorld['runsOf'] = ({ repository }) =>
    service.runs.filter((run) => run.metadata['runlink.repository'] === repository);
  return {
    send,
    runsOf,
    place(config) {
      last += 1;
      const repository = `acme/r${last}`;
      if (config !== undefined) github.files[`${repository}/.github/runlink.yml`] = config;
      return { repository, number: 1000 + last };
    },
    async say(place, body, by = { login: 'alice' }, more = {}) {
      const id = freshId();
      const guid = randomUUID();
      const payload = { ...issueComment(place, body, by, id), ...more };
      await send('issue_comment', payload, guid);
      return { guid, id };
    },
    reasonOf: ({ guid }) =>
      vi.waitFor(async () => {
        const { rows } = await database.pool.query<{ reasons: string[] }>(
          'select reasons from app.deliveries where guid = $1 and finished_at is not null',
          [guid],
        );
        const [handled] = rows;
        if (!handled) throw new Error('not handled yet');
        return handled.reasons.join(',');
      }, soon),
    runOf: (place) =>
      vi.waitFor(() => {
        const [run, ...others] = runsOf(place);
        if (!run || others.length > 0) throw new Error(`${runsOf(place).length} runs`);
        return run;
      }, soon),
    bodiesOn: ({ number }) =>
      github.comments
        .filter((one) => one.issue === number && one.user.login === BOT)
        .map((one) => one.body),
    reactionsOn: (id) =>
      github.reactions.filter(({ on }) => on.endsWith(`/${id}`)).map(({ content }) => content),
  };
}

/** A busy machine may take its time: what comes is waited for, however late. */
export const soon = { timeout: 45_000, interval: 50 };

export function repositoryOf({ repository }: Place): object {
  return {
    full_name: repository,
    html_url: `https://github.example/${repository}`,
    default_branch: 'main',
  };
}

/** What every payload of this place and sender begins with. */
export function from(
  place: Place,
  action: string | undefined,
  by: Sender = { login: 'alice' },
): object {
  return { action, repository: repositoryOf(place), sender: { type: 'User', ...by } };
}

export function issueOf(place: Place, more: object = {}): object {
  return {
    number: place.number,
    node_id: `I_${place.number}`,
    html_url: `https://github.example/${place.repository}/issues/${place.number}`,
    title: 'The login test fails',
    body: 'It fails.',
    user: { login: 'alice' },
    comments: 1,
    updated_at: '2026-01-01T00:00:00Z',
    ...more,
  };
}

export function pullOf(place: Place, sha: string, more: object = {}): object {
  const base = { ref: 'main', sha: 'b'.repeat(40), repo: { full_name: place.repository } };
  const head = { ref: 'topic', sha, repo: { full_name: place.repository } };
  const html_url = `https://github.example/${place.repository}/pull/${place.number}`;
  return { ...issueOf(place), node_id: `PR_${place.number}`, html_url, head, base, ...more };
}

export function issueComment(place: Place, body: string, by: Sender, id: number): object {
  return {
    ...from(place, 'created', by),
    issue: issueOf(place),
    comment: commentOf(place, body, by, id),
  };
}

export function commentOf(place: Place, body: string, by: Sender, id: number): object {
  return {
    id,
    node_id: `IC_${id}`,
    html_url: `https://github.example/${place.repository}/issues/${place.number}#issuecomment-${id}`,
    body,
    user: by,
    // What GitHub says of the author is never what lets anybody in (threats.md G1).
    author_association: 'OWNER',
    created_at: '2026-01-01T00:00:00Z',
  };
}

/** A number for a comment, review or suite that nothing else has. */
export function freshId(): number {
  last += 1;
  return last;
}

/**
 * A world for all tests of a file, in which runs work until a test says otherwise; ends with them.
 */
export async function worldOfFile(
  options?: Parameters<typeof startAppWorld>[0],
): Promise<AppWorld> {
  const world = await startAppWorld(options);
  world.service.play = keepWorking;
  afterAll(() => world.close());
  return world;
}

/** A run that works until the test says otherwise. */
export function keepWorking(run: FakeRun): void {
  run.state = 'INPROGRESS';
}
