import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Registry } from 'prom-client';
import type { Dispatcher, RequestInit } from 'undici';
import { RunlinkError, errorMessage, isDiskFull } from '../base/error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { connect } from '../client/connect.ts';
import type { Github } from '../github/read/octokit.ts';
import { diagnoseAgents, type AgentDiagnosis } from './doctor/diagnose.ts';
import { nodeHttp, proxyVariables } from '../client/node-http.ts';
import { git } from './git/git.ts';
import { Heartbeats } from './lease/heartbeats.ts';
import type { ModelProxy } from './model/proxy.ts';
import type { WorkerContext } from './run/run-context.ts';
import { chooseIsolation } from './sandbox/choose.ts';
import { assertUnseen, workerViews } from './sandbox/view.ts';
import { RunWorker } from './worker.ts';
import { DEFAULT_KEEP, DEFAULT_LIMITS, type WorkerOptions } from './worker-options.ts';

const CAPACITY_MAX = 8;

export interface RunningWorker {
  workerId: string;
  /** Name of the sandbox driver. */
  sandbox: string;
  /** Settles when the worker claims no more runs; rejects if the service refuses it for good. */
  over: Promise<void>;
  /**
   * For a worker of one run: how that run ended, or `left` if it did not; undefined if there was no
   * run.
   */
  verdict(): RunWorker['verdict'];
  /** Metrics of this worker, for a scraper. */
  metrics(): Promise<Registry>;
  /** Claims no more runs, gives those under way `graceMs` to end, and ends all processes. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Starts a worker: continues the runs that a killed worker left in its data directory, then claims
 * new ones.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const dataDir = resolve(options.dataDir);
  const context = await makeContext({ ...options, dataDir }).catch((cause: unknown) => {
    const said = errorMessage(cause);
    if (cause instanceof RunlinkError || !isDiskFull(said)) throw cause;
    throw new RunlinkError('disk_full', `There is no room on the disk of ${dataDir}: ${said}`, {
      hint: 'Make room there, or name a directory on another disk with --data.',
      cause,
    });
  });
  const { sandbox, refusal, log } = context;
  const capacity = options.once
    ? 1
    : (options.capacity ?? Math.min(CAPACITY_MAX, 2 * availableParallelism()));
  await assertGit();
  const agents = await diagnoseAgents(options, refusal);
  const usable = agents.filter((agent) => agent.usable).map(({ name }) => name);
  const worker = new RunWorker(context, capacity, usable);
  log.info(
    { worker: context.workerId, sandbox: sandbox.name, capacity, agents: usable },
    'worker started',
  );
  sayHowIsolated(context);
  sayWhatLacks(agents, context);
  await worker.start();
  return {
    workerId: context.workerId,
    sandbox: sandbox.name,
    over: worker.over,
    verdict: () => worker.verdict,
    async metrics() {
      const { createWorkerMetrics } = await import('./metrics.ts');
      return createWorkerMetrics(worker, context.options.dataDir);
    },
    drain: (graceMs) => worker.drain(graceMs),
  };
}

/** Throws `git_missing` if git cannot be started, because no run could be prepared. */
async function assertGit(): Promise<void> {
  try {
    await git(['--version'], {});
  } catch (cause) {
    throw new RunlinkError('git_missing', `git cannot be started: ${errorMessage(cause)}`, {
      hint: 'Install it (apt-get install git), or start the service without a worker (--no-worker).',
      cause,
    });
  }
}

async function makeContext(options: WorkerOptions): Promise<WorkerContext> {
  const { dataDir, baseUrl, apiKey, log, useProxy = false } = options;
  const dirs = {
    mirrors: join(dataDir, 'mirrors'),
    runs: join(dataDir, 'runs'),
    snapshots: join(dataDir, 'snapshots'),
  };
  for (const dir of Object.values(dirs)) await makeFolder(dir);
  const proxyEnv = useProxy ? proxyVariables(options.environment) : {};
  const request = nodeHttp(proxyEnv);
  return {
    ...dirs,
    ...(await isolate(options)),
    options,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    keep: { ...DEFAULT_KEEP, ...options.keep },
    proxyEnv,
    request,
    client: connect({ baseUrl, apiKey, request }),
    heartbeats: new Heartbeats({ baseUrl, apiKey, proxyEnv }, log),
    proxy: onceAsked(() => makeModelProxy(useProxy)),
    log,
    workerId: `${options.workerHost ?? hostname()}-${randomUUID().slice(0, 8)}`,
    github: options.github ?? ((access) => makeGithub(access, useProxy)),
  };
}

type IsolationContext = Pick<
  WorkerContext,
  'sandbox' | 'refusal' | 'view' | 'imageView' | 'unseen'
>;

/**
 * Chooses how runs are isolated and what they see of this machine. Throws `sandbox_unavailable` if
 * runs are to have no network and the sandbox cannot cut it, `data_shown` if they would see the
 * worker's data.
 */
async function isolate(options: WorkerOptions): Promise<IsolationContext> {
  if (options.sandbox === 'sidecar' && !options.once)
    throw new RunlinkError('sandbox_unavailable', 'The sandbox "sidecar" is for one run.', {
      hint: 'Start the worker with --once, one pod for each run.',
    });
  const { sandbox, refusal } = await chooseIsolation(options);
  options.stopStart?.throwIfAborted();
  if (options.network === 'none' && !sandbox.canCutNetwork)
    throw new RunlinkError('sandbox_unavailable', 'Network "none" needs a sandbox.', {
      hint: refusal
        ? `${refusal.problem} ${refusal.remedy}`
        : 'Choose it, or leave the network on.',
    });
  const views = await workerViews(options, join(options.dataDir, 'etc'), sandbox.user);
  // Without isolation nothing can be hidden from a run.
  const unseen = sandbox.name === 'direct' ? [] : [options.dataDir, ...(options.unseen ?? [])];
  assertUnseen(views.view, unseen, options.readOnly);
  return { sandbox, refusal, ...views, unseen };
}

function sayHowIsolated({ sandbox, refusal, log }: WorkerContext): void {
  if (refusal) log.error(`${refusal.problem} Only the demo agent is run. ${refusal.remedy}`);
  else if (sandbox.name === 'direct') log.warn('agents are run without isolation, as configured');
  for (const gap of sandbox.gaps) log.warn({ sandbox: sandbox.name }, gap);
}

/**
 * Logged at the start; otherwise only the first run would show that the default agent is not
 * installed.
 */
function sayWhatLacks(agents: AgentDiagnosis[], { refusal, log }: WorkerContext): void {
  for (const { name, isDefault, problems } of refusal ? [] : agents)
    if (isDefault && problems.length > 0) log.warn({ agent: name }, problems.join('; '));
}

// Modules that only runs need are loaded by the first of them, which keeps an idle worker small.

async function makeModelProxy(useProxy: boolean): Promise<ModelProxy> {
  const [{ ModelProxy }, dispatcher] = await Promise.all([
    import('./model/proxy.ts'),
    proxyDispatcher(useProxy),
  ]);
  return new ModelProxy(dispatcher);
}

/** Limit of one request to GitHub; Octokit itself would wait for minutes. */
const GITHUB_WITHIN_MS = 30_000;

async function makeGithub(
  { token, apiUrl }: { token: string; apiUrl: string },
  useProxy: boolean,
): Promise<Github> {
  const [{ Octokit }, { fetch }, dispatcher] = await Promise.all([
    import('@octokit/core'),
    import('undici'),
    proxyDispatcher(useProxy),
  ]);
  return new Octokit({
    auth: token,
    baseUrl: apiUrl.replace(/\/$/, ''),
    request: {
      fetch: (url: string, init: RequestInit) =>
        fetch(url, {
          ...init,
          signal: AbortSignal.timeout(GITHUB_WITHIN_MS),
          ...(dispatcher && { dispatcher }),
        }),
    },
  });
}

async function proxyDispatcher(useProxy: boolean): Promise<Dispatcher | undefined> {
  return useProxy ? new (await import('undici')).EnvHttpProxyAgent() : undefined;
}

function onceAsked<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
