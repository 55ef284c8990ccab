import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { playStory, type Stage } from '../../src/cli/start/story.ts';
import type { Narrator } from '../../src/cli/start/narrator.ts';
import { createClient, type Client } from '../../src/client/client.ts';
import type { RunRead } from '../../src/contract/run.ts';
import type { GithubStandIn } from '../../src/demo/standin.ts';
import { prepareCliProcess, runCliCommand, type CliProcess } from './cli-process.ts';
import { startStandIn, temporaryDirectory } from './standin.ts';

export type PartName = 'serve' | 'app' | 'worker';

/** The whole project as separate processes, beside a stand-in for GitHub. */
export interface StoryWorld {
  github: GithubStandIn;
  client: Client;
  parts: Record<PartName, CliProcess>;
  apiBaseUrl: string;
  ownerKey: string;
  /** Plays the main job; `onStep` hears each step as it begins. */
  play(onStep?: (title: string) => void): Promise<void>;
  /** What the story must have left behind, each exactly once. */
  results(): Promise<{ runs: number; trackingComments: number; pullRequests: number }>;
}

const ENVIRONMENT_ID = 'demoEnvironment0000001';
/** Longest a step may take on a busy machine, with a process started again on the way. */
const STEP_WITHIN_MS = 90_000;

function operatorConfig(github: GithubStandIn): string {
  const { owner, name: repo, cloneUrl: clone_url } = github.repository;
  return stringify({
    environments: [
      { id: ENVIRONMENT_ID, name: 'widgets', repositories: [{ owner, repo, clone_url }] },
    ],
    github: { api_url: github.apiUrl },
    default_harness: 'demo',
    allow_insecure_remotes: true,
  });
}

const quiet: Narrator = { say: () => undefined, step: (_, work) => work() };

function telling(onStep: (title: string) => void): Narrator {
  return {
    ...quiet,
    step(title, work) {
      onStep(title);
      return work();
    },
  };
}

async function createKey({ place }: Setting, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCliCommand(['keys', 'create', ...place, ...words]);
  if (code !== 0) throw new Error(`keys create failed: ${stderr}`);
  return stdout.trim();
}

interface Setting {
  github: GithubStandIn;
  directory: string;
  data: string;
  /** How a command is told where the service's data and database are. */
  place: string[];
  config: string;
  appVariables: Record<string, string>;
}

async function prepareSetting(databaseUrl?: string): Promise<Setting> {
  const directory = await temporaryDirectory();
  const github = await startStandIn(join(directory, 'github'));
  const data = join(directory, 'data');
  await mkdir(data, { mode: 0o700 });
  const config = join(directory, 'runlink.yaml');
  await writeFile(config, operatorConfig(github));
  const appVariables = {
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
  };
  const place = ['--data', data, ...(databaseUrl ? ['--database-url', databaseUrl] : [])];
  return { github, directory, data, place, config, appVariables };
}

function prepareServe(
  { directory, place, config, appVariables }: Setting,
  port: number,
): CliProcess {
  const words = ['serve', '--no-worker', '--port', String(port), ...place, '--config', config];
  return prepareCliProcess({ name: 'serve', directory, env: appVariables, words });
}

/** `serve` on a port it keeps over restarts, as an operator's would. */
async function startServe(setting: Setting): Promise<{ serve: CliProcess; apiBaseUrl: string }> {
  const first = prepareServe(setting, 0);
  const { url, api_base_url: apiBaseUrl = '' } = await first.start();
  const serve = prepareServe(setting, Number(new URL(url).port));
  let current = first;
  return {
    apiBaseUrl,
    serve: {
      logFile: serve.logFile,
      start() {
        current = serve;
        return serve.start();
      },
      kill: () => current.kill(),
      stop: () => current.stop(),
    },
  };
}

async function startApp(setting: Setting, apiBaseUrl: string): Promise<CliProcess> {
  const { directory, place, github, appVariables } = setting;
  const RUNLINK_API_KEY = await createKey(setting, '--team', 'default', '--user', 'github-app');
  const words = ['app', '--port', '0', ...place];
  const app = prepareCliProcess({
    name: 'app',
    directory,
    env: { ...appVariables, RUNLINK_API_KEY },
    words: [...words, '--github-api-url', github.apiUrl, '--base-url', apiBaseUrl],
  });
  const start = async (): ReturnType<CliProcess['start']> => {
    const ready = await app.start();
    github.setWebhookUrl(`${ready.url}/api/github/webhooks`);
    return ready;
  };
  await start();
  return { ...app, start };
}

async function startWorker(setting: Setting, apiBaseUrl: string): Promise<CliProcess> {
  const { directory, data, config } = setting;
  const RUNLINK_API_KEY = await createKey(setting, '--team', 'default', '--worker');
  const worker = prepareCliProcess({
    name: 'worker',
    directory,
    env: { RUNLINK_API_KEY },
    words: ['worker', '--base-url', apiBaseUrl, '--data', data, '--config', config],
    readyText: 'worker started',
  });
  await worker.start();
  return worker;
}

interface Traces {
  runs: RunRead[];
  tracking: (string | undefined)[];
  pulls: string[];
}

/** What the story left behind on the service and on GitHub. */
async function lookFor(client: Client, person: Octokit, github: GithubStandIn): Promise<Traces> {
  const { owner, name: repo, issueNumber: issue_number } = github.repository;
  const { runs } = await client.runs.list({}, { deadlineMs: 20_000 });
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const comments = await person.request(route, { owner, repo, issue_number });
  const pulls = await person.request('GET /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    state: 'all',
  });
  const byBot = comments.data.filter(({ user }) => user?.login === github.app.botLogin);
  const tracking = byBot.filter(({ body }) => runs.some((run) => body?.includes(run.run_id)));
  return {
    runs,
    tracking: tracking.map(({ body }) => body),
    pulls: pulls.data.map((pull) => pull.html_url),
  };
}

/** A part that was not asked for. */
const absent: CliProcess = {
  logFile: '',
  start: () => Promise.reject(new Error('This part is not in the world.')),
  kill: () => Promise.resolve(),
  stop: () => Promise.resolve(null),
};

/**
 * Starts service, worker and, unless told otherwise, App as separate processes, on a database of
 * their own where none is named; all end with the test.
 */
export async function startStoryWorld(
  options: { app?: boolean; databaseUrl?: string } = {},
): Promise<StoryWorld> {
  const setting = await prepareSetting(options.databaseUrl);
  const { github, data } = setting;
  const { serve, apiBaseUrl } = await startServe(setting);
  onTestFinished(async () => void (await serve.stop()));
  const ownerKey = (await readFile(join(data, 'owner.key'), 'utf8')).trim();
  const [app, worker] = [
    options.app === false ? absent : await startApp(setting, apiBaseUrl),
    await startWorker(setting, apiBaseUrl),
  ];
  onTestFinished(async () => void (await Promise.all([app.stop(), worker.stop()])));
  const client = createClient({ baseUrl: apiBaseUrl, apiKey: ownerKey });
  const person = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
  const { owner, name: repo, issueNumber } = github.repository;
  const stage = (narrator: Narrator): Stage => ({
    github: person,
    login: github.maintainer.login,
    botLogin: github.app.botLogin,
    repository: { owner, repo },
    issue: issueNumber,
    client,
    signal: new AbortController().signal,
    narrator,
    agentWithinMs: STEP_WITHIN_MS,
    soonMs: STEP_WITHIN_MS,
  });
  const look = async (): Promise<Traces> => lookFor(client, person, github);
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const traces = await look().catch((error: unknown) => ({ error: String(error) }));
    process.stderr.write(`\n--- what the story left ---\n${JSON.stringify(traces, null, 2)}\n`);
  });
  return {
    github,
    client,
    parts: { serve, app, worker },
    apiBaseUrl,
    ownerKey,
    play: (onStep) => playStory(stage(onStep ? telling(onStep) : quiet)),
    async results() {
      const { runs, tracking, pulls } = await look();
      return {
        runs: runs.length,
        trackingComments: tracking.length,
        pullRequests: pulls.length,
      };
    },
  };
}
