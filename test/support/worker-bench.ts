import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Lease } from '../../src/contract/lease.ts';
import { readRunFile } from '../../src/worker/lease/run-file.ts';
import { startWorker, type RunningWorker } from '../../src/worker/main.ts';
import { pidsMarked } from '../../src/worker/sandbox/process-marker.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';
import { prepareContainers } from './containers.ts';
import type { FakeStep } from './fake-agent.ts';
import { FAKE_HARNESSES, makeLease, makeRemote, script } from './worker-remote.ts';
import { WorkerProtocol, type ServedRun } from './worker-protocol.ts';

/**
 * What the suites of the worker keep runs in; all of them again in containers for
 * RUNLINK_TEST_SANDBOX=container.
 */
export const SANDBOX = process.env['RUNLINK_TEST_SANDBOX'] === 'container' ? 'container' : 'bwrap';

/** Where a run sees this Node. */
export const SEEN_NODE =
  SANDBOX === 'container' ? `/runlink${realpathSync(process.execPath)}` : process.execPath;

/** A directory that is gone when the test is. */
export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'runlink-worker-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}

export interface Bench {
  service: WorkerProtocol;
  dataDir: string;
  /** Processes of a run, found by its marker. */
  processesOf: (run: ServedRun) => Promise<number[]>;
  start: (options?: Partial<WorkerOptions>) => Promise<RunningWorker>;
  /** A lease of the demo agent on this remote, or on nothing. */
  lease: (change?: Partial<Lease>, remote?: string) => Lease;
  /** Offers a run of the fake agent that takes these steps. */
  fake: (steps: FakeStep[], change?: Partial<Lease>, remote?: string) => ServedRun;
  /** Resolves when the run has ended. */
  ended: (run: ServedRun, timeoutMs?: number) => Promise<ServedRun>;
}

/** The environment of a small repository of its own. */
export function environmentOf(
  bench: Bench,
  change: Partial<NonNullable<Lease['environment']>> = {},
): Pick<Lease, 'environment'> {
  const { environment } = bench.lease({}, makeRemote(bench.dataDir));
  if (!environment) throw new Error('the bench makes an environment');
  return { environment: { ...environment, pull_request: false, ...change } };
}

/** The worker protocol, scripted, and workers that talk to it, all gone when the test is. */
export async function openBench(): Promise<Bench> {
  if (SANDBOX === 'container') {
    const missing = await prepareContainers();
    if (missing !== undefined) throw new Error(`No container can be made here: ${missing}`);
  }
  const service = new WorkerProtocol();
  await service.listen();
  onTestFinished(() => service.close());
  const dataDir = temporaryDirectory();
  return {
    service,
    dataDir,
    processesOf: async ({ lease }) => {
      const file = await readRunFile(join(dataDir, 'runs', lease.run_id));
      return file ? pidsMarked(file.process_marker) : [];
    },
    start: async (options = {}) => {
      const worker = await startWorker({
        baseUrl: service.baseUrl,
        apiKey: 'rl_worker_key_of_the_test',
        dataDir,
        sandbox: SANDBOX,
        defaultHarness: 'demo',
        harnesses: FAKE_HARNESSES,
        environment: { PATH: process.env['PATH'] },
        allowInsecureRemotes: true,
        log: silentLog,
        ...options,
        limits: { cancelGraceMs: 500, ...options.limits },
      });
      onTestFinished(() => worker.drain(0));
      return worker;
    },
    lease: (change = {}, remote) => makeLease(service, change, remote),
    fake: (steps, change = {}, remote) => {
      const config = { harness: { type: 'fake' } };
      const prompt = script(...steps);
      return service.offer(makeLease(service, { prompt, config, ...change }, remote));
    },
    ended: async (run, timeoutMs = SANDBOX === 'container' ? 300_000 : 60_000) => {
      await vi.waitFor(
        () => {
          if (['QUEUED', 'PENDING', 'INPROGRESS'].includes(run.state)) throw new Error(run.state);
        },
        { timeout: timeoutMs, interval: 20 },
      );
      return run;
    },
  };
}
