/**
 * What a worker costs: `npx node bench/worker/bench.ts [runs]`. The service is the scripted one of the
 * tests, in this process, so that the figures are the worker's own.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../src/contract/lease.ts';
import { FAKE_HARNESSES, makeLease, makeRemote, script } from '../../test/support/worker-remote.ts';
import { WorkerProtocol, type ServedRun } from '../../test/support/worker-protocol.ts';

const RUNS = Number(process.argv[2] ?? 20);
const WORKER = fileURLToPath(new URL('../../test/support/worker-process.ts', import.meta.url));
const EVENTS = 20_000;

const service = new WorkerProtocol();
await service.listen();
const dataDir = mkdtempSync(join(tmpdir(), 'runlink-bench-'));
const worker = spawn(process.execPath, [WORKER], {
  env: {
    PATH: process.env['PATH'],
    WORKER_OPTIONS: JSON.stringify({
      baseUrl: service.baseUrl,
      apiKey: 'rl_worker_key_of_the_bench',
      dataDir,
      capacity: 8,
      defaultHarness: 'demo',
      harnesses: FAKE_HARNESSES,
      allowInsecureRemotes: true,
    }),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
await once(worker.stdout, 'data');
const remote = makeRemote(dataDir);

async function until(done: () => boolean): Promise<void> {
  while (!done()) await once(service, 'changed');
}

const isFirst = (run: ServedRun): boolean => run.events.some(({ type }) => type === 'message');
const isOver = (run: ServedRun): boolean => run.completed.length > 0;
const offer = (change: Partial<Lease> = {}): ServedRun =>
  service.offer(makeLease(service, change, remote));
const percentile = (values: number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);

function print(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}

/** Resident memory and processor time of the worker's process alone. */
function usage(): { rssMb: number; cpuMs: number } {
  const status = readFileSync(`/proc/${worker.pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${worker.pid}/stat`, 'utf8').split(' ');
  const ticks = Number(stat[13]) + Number(stat[14]);
  return { rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024, cpuMs: ticks * 10 };
}

const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
print('machine', `${execFileSync('nproc').toString().trim()} cores, load ${load} at the start`);

await sleep(2000);
const idle = usage();
await sleep(10_000);
const later = usage();
print(
  'idle worker',
  `${Math.round(later.rssMb)} MB, ${later.cpuMs - idle.cpuMs} ms of CPU in 10 s`,
);

const first: number[] = [];
const whole: number[] = [];
for (let index = 0; index < RUNS; index += 1) {
  const started = performance.now();
  const run = offer();
  await until(() => isFirst(run));
  first.push(performance.now() - started);
  await until(() => isOver(run));
  whole.push(performance.now() - started);
}
print(
  'offered → first word of the demo agent',
  `p50 ${percentile(first, 0.5)} ms, p95 ${percentile(first, 0.95)} ms`,
);
print('offered → completed with pull request', `p50 ${percentile(whole, 0.5)} ms`);

const config = { harness: { type: 'fake' } };
const before = usage();
const started = performance.now();
const burst = offer({ config, prompt: script({ burst: EVENTS }, { say: 'end', id: 'end' }) });
await until(() => isFirst(burst));
const begun = performance.now();
await until(() => isOver(burst));
const seconds = (performance.now() - begun) / 1000;
const after = usage();
const stored = burst.events.filter(({ type }) => type === 'message').length;
print(
  'one agent’s flood',
  `${Math.round(stored / seconds)} events/s, ${EVENTS + 1 - stored} of ${EVENTS + 1} lost`,
);
print(
  'worker’s CPU per event',
  `${Math.round(((after.cpuMs - before.cpuMs) * 1000) / stored)} µs (whole run ${Math.round(performance.now() - started)} ms)`,
);

const eightStarted = performance.now();
const eight = Array.from({ length: 8 }, () => offer());
await Promise.all(eight.map((run) => until(() => isOver(run))));
const states = eight.filter((run) => run.completed[0]?.state === 'SUCCEEDED').length;
print(
  '8 runs at once',
  `${states} of 8 succeeded in ${Math.round(performance.now() - eightStarted)} ms; worker at ${Math.round(usage().rssMb)} MB`,
);

worker.kill('SIGTERM');
await once(worker, 'exit');
await service.close();
rmSync(dataDir, { recursive: true, force: true });
