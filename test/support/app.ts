import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from '@octokit/core';
import { onTestFinished } from 'vitest';
import { connectGithub } from '../../src/app/connect-github.ts';
import { createApp, type App, type AppOptions } from '../../src/app/create-app.ts';
import { createAppListener } from '../../src/app/http/listener.ts';
import { appMigrations } from '../../src/app/store/migrations.ts';
import { silentLog } from '../../src/base/log.ts';
import { createClient } from '../../src/client/client.ts';
import { openTables, type Tables } from '../../src/database/open-database.ts';
import type { GithubStandIn } from '../../src/demo/standin.ts';
import { testLog } from './test-log.ts';

/** The App's database at this address, with its schema in place. */
export async function openAppDatabase(url: string): Promise<Tables<unknown>> {
  const database = await openTables<unknown>({
    location: { url },
    schema: 'app',
    migrations: appMigrations,
    log: silentLog,
  });
  onTestFinished(() => database.close());
  return database;
}

export interface RunningApp {
  app: App;
  url: string;
  webhookUrl: string;
  stop(): Promise<void>;
}

/** One replica of the App in this process, listening on a free port. */
export async function startApp(options: {
  database: Pick<Tables<unknown>, 'kysely' | 'pool'>;
  github: GithubStandIn;
  service: { apiUrl: string; apiKey?: string };
  settings?: NonNullable<AppOptions['settings']>;
  leaseMs?: number;
  windows?: NonNullable<AppOptions['windows']>;
  sweepEveryMs?: number;
  recoverEveryMs?: number;
}): Promise<RunningApp> {
  const { github, service, database, ...rest } = options;
  const { id: appId, privateKey, webhookSecret } = github.app;
  const app = createApp({
    tables: database,
    client: createClient({ baseUrl: service.apiUrl, apiKey: service.apiKey ?? 'test-key' }),
    github: connectGithub({ appId, privateKey, apiUrl: github.apiUrl }),
    secrets: [webhookSecret],
    log: testLog,
    leaseMs: 3000,
    ...rest,
  });
  const server = createServer(createAppListener(app));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      server.close();
      server.closeAllConnections();
      await app.stop();
    })());
  onTestFinished(stop);
  return { app, url, webhookUrl: `${url}/api/github/webhooks`, stop };
}

/** GitHub as one of the stand-in's people. */
export function as(github: GithubStandIn, person: { token: string }): Octokit {
  return new Octokit({ baseUrl: github.apiUrl, auth: person.token });
}

/**
 * Comments on a thread of the stand-in's repository as a person would; answers the comment's id.
 */
export async function comment(
  github: GithubStandIn,
  person: { token: string },
  body: string,
  number: number = github.repository.issueNumber,
): Promise<number> {
  const { owner, name: repo } = github.repository;
  const { data } = await as(github, person).request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    { owner, repo, issue_number: number, body },
  );
  return Number(data.id);
}

export interface SeenComment {
  id: number;
  author: string;
  body: string;
}

export async function commentsOn(
  github: GithubStandIn,
  number: number = github.repository.issueNumber,
): Promise<SeenComment[]> {
  const { owner, name: repo } = github.repository;
  const { data } = await as(github, github.maintainer).request(
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    { owner, repo, issue_number: number, per_page: 100 },
  );
  return data.map((one) => ({
    id: Number(one.id),
    author: one.user?.login ?? '',
    body: one.body ?? '',
  }));
}

export async function reactionsOn(github: GithubStandIn, commentId: number): Promise<string[]> {
  const { owner, name: repo } = github.repository;
  const { data } = await as(github, github.maintainer).request(
    'GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
    { owner, repo, comment_id: commentId },
  );
  return data.map((one) => one.content).toSorted();
}

/** Delivers a payload to an App as GitHub does: signed, with an id. */
export async function deliver(
  app: Pick<RunningApp, 'webhookUrl'>,
  secret: string,
  event: string,
  payload: unknown,
  guid: string = randomUUID(),
): Promise<{ status: number; reason: string }> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const response = await fetch(app.webhookUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': guid,
      'x-hub-signature-256': signature,
    },
    body,
  });
  const answer = (await response.json()) as { reason: string };
  return { status: response.status, reason: answer.reason };
}
