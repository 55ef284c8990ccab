import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { EnvHttpProxyAgent } from 'undici';
import { RunlinkError } from '../base/error.ts';
import { createClient } from '../client/client.ts';
import { diagnoseAgents } from './doctor.ts';
import { Heartbeats } from './lease/heartbeats.ts';
import { ModelProxy } from './model/proxy.ts';
import type { WorkerContext } from './run-context.ts';
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
  const dispatcher = useProxy ? new EnvHttpProxyAgent() : undefined;
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
    client: createClient({ baseUrl, apiKey, dispatcher }),
    heartbeats: new Heartbeats({ baseUrl, apiKey, useProxy }, log),
    sandbox,
    proxy: new ModelProxy(dispatcher),
    log,
    workerId: `${options.workerHost ?? hostname()}-${randomUUID().slice(0, 8)}`,
    github:
      options.github ??
      (async ({ token, apiUrl }) => {
        // Like the protocol's library, loaded with the first pull request: an idle worker is small.
        const { Octokit } = await import('@octokit/core');
        return new Octokit({ auth: token, baseUrl: apiUrl.replace(/\/$/, '') });
      }),
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
