import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Dispatcher, RequestInit } from 'undici';
import { RunlinkError } from '../base/error.ts';
import { connect } from '../client/connect.ts';
import type { Github } from '../github/read/octokit.ts';
import { diagnoseAgents } from './doctor.ts';
import { nodeHttp, proxyVariables } from '../client/node-http.ts';
import { Heartbeats } from './lease/heartbeats.ts';
import type { ModelProxy } from './model/proxy.ts';
import type { WorkerContext } from './run/run-context.ts';
import { chooseSandbox } from './sandbox/choose.ts';
import { RunWorker } from './worker.ts';
import { DEFAULT_KEEP, DEFAULT_LIMITS, type WorkerOptions } from './worker-options.ts';

const CAPACITY_MAX = 8;

export interface RunningWorker {
  workerId: string;
  /** Name of the isolation that runs get. */
  sandbox: string;
  /** Runs under way. */
  activeRuns(): number;
  /** Claims nothing more, gives what is under way `graceMs`, and ends all processes. */
  drain(graceMs: number): Promise<void>;
}

/** Starts a worker: takes up what a killed one left in its data directory, then claims runs. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const dataDir = resolve(options.dataDir);
  const dirs = { mirrors: join(dataDir, 'mirrors'), runs: join(dataDir, 'runs') };
  for (const dir of Object.values(dirs)) await mkdir(dir, { recursive: true, mode: 0o700 });
  const { baseUrl, apiKey, log, useProxy = false } = options;
  const proxyEnv = useProxy ? proxyVariables(options.environment) : {};
  const request = nodeHttp(proxyEnv);
  const sandbox = await chooseSandbox(options.sandbox);
  if (options.network === 'none' && !sandbox.canCutNetwork)
    throw new RunlinkError('sandbox_unavailable', 'Network "none" needs the sandbox bwrap.', {
      hint: 'Install bubblewrap, or leave the network on.',
    });
  const context: WorkerContext = {
    ...dirs,
    options: { ...options, dataDir },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    keep: { ...DEFAULT_KEEP, ...options.keep },
    proxyEnv,
    request,
    client: connect({ baseUrl, apiKey, request }),
    heartbeats: new Heartbeats({ baseUrl, apiKey, proxyEnv }, log),
    sandbox,
    proxy: onceAsked(() => makeModelProxy(useProxy)),
    log,
    workerId: `${options.workerHost ?? hostname()}-${randomUUID().slice(0, 8)}`,
    github: options.github ?? ((access) => makeGithub(access, useProxy)),
  };
  const capacity = options.capacity ?? Math.min(CAPACITY_MAX, 2 * availableParallelism());
  const agents = await diagnoseAgents(options);
  const usable = agents.filter((agent) => agent.usable).map(({ name }) => name);
  const worker = new RunWorker(context, capacity, usable);
  log.info(
    { worker: context.workerId, sandbox: sandbox.name, capacity, agents: usable },
    'worker started',
  );
  for (const gap of sandbox.gaps) log.warn({ sandbox: sandbox.name }, gap);
  await worker.start();
  return {
    workerId: context.workerId,
    sandbox: sandbox.name,
    activeRuns: () => worker.activeRuns,
    drain: (graceMs) => worker.drain(graceMs),
  };
}

// What only runs need is loaded with the first that needs it: an idle worker is small.

async function makeModelProxy(useProxy: boolean): Promise<ModelProxy> {
  const [{ ModelProxy }, dispatcher] = await Promise.all([
    import('./model/proxy.ts'),
    proxyDispatcher(useProxy),
  ]);
  return new ModelProxy(dispatcher);
}

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
        fetch(url, { ...init, ...(dispatcher && { dispatcher }) }),
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
