/**
 * What a worker costs: `npm run build && npx node bench/worker/bench.ts [runs] [build|source]`. The
 * worker is `runlink worker` as people start it; the service is the scripted one of the tests, in
 * this process, so that the figures are the worker's own.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../src/contract/lease.ts';
import { PRODUCT_FLAGS } from '../product-flags.ts';
import { FAKE_HARNESSES, makeLease, makeRemote, script } from '../../test/support/worker-remote.ts';
import { WorkerProtocol, type ServedRun } from '../../test/support/worker-protocol.ts';

const RUNS = Number(process.argv[2] ?? 20);
const FORM = process.argv[3] ?? 'build';
const CLI = resolve(
  import.meta.dirname,
  '../..',
  FORM === 'build' ? 'build/cli/main.js' : 'src/cli/main.ts',
);
const EVENTS = 20_000;
const CANCELS = 10;

const service = new WorkerProtocol();
await service.listen();
const dataDir = mkdtempSync(join(tmpdir(), 'runlink-bench-'));
const config = join(dataDir, 'runlink.yaml');
writeFileSync(
  config,
  JSON.stringify({
    default_harness: 'demo',
    harnesses: FAKE_HARNESSES,
    allow_insecure_remotes: true,
  }),
);
const worker = spawn(
  process.execPath,
  [
    ...PRODUCT_FLAGS,
    CLI,
    'worker',
    '--base-url',
    service.baseUrl,
    '--data',
    dataDir,
    '--config',
    config,
    '--capacity',
    '8',
  ],
  {
    env: { PATH: process.env['PATH'], RUNLINK_API_KEY: 'rl_worker_key_of_the_bench' },
    stdio: ['ignore', 'ignore', 'pipe'],
  },
);
worker.stderr.resume();
await once(worker.stderr, 'data');
const remote = makeRemote(mkdtempSync(join(dataDir, 'remotes-')));

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

// V8 tidies up once about ten seconds after the start.
await sleep(20_000);
const idle = usage();
await sleep(10_000);
const later = usage();
print(
  `idle worker, from ${FORM}`,
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

const eightStarted = performance.now();
const eight = Array.from({ length: 8 }, () => offer());
await Promise.all(eight.map((run) => until(() => isOver(run))));
const states = eight.filter((run) => run.completed[0]?.state === 'SUCCEEDED').length;
print(
  '8 runs at once',
  `${states} of 8 succeeded in ${Math.round(performance.now() - eightStarted)} ms; worker at ${Math.round(usage().rssMb)} MB`,
);

const fake = { harness: { type: 'fake' } };
const cancelled: number[] = [];
for (let index = 0; index < CANCELS; index += 1) {
  const run = offer({ config: fake, prompt: script({ say: 'x' }, { wait: true }) });
  await until(() => isFirst(run));
  const asked = performance.now();
  service.signal(run, { id: 1, type: 'cancel' });
  await until(() => isOver(run));
  cancelled.push(performance.now() - asked);
}
print(
  'cancel → run over, its agent gone',
  `p50 ${percentile(cancelled, 0.5)} ms, longest ${percentile(cancelled, 0.99)} ms`,
);

const before = usage();
const started = performance.now();
const burst = offer({ config: fake, prompt: script({ burst: EVENTS }, { say: 'end', id: 'end' }) });
await until(() => isFirst(burst));
const begun = performance.now();
await until(() => isOver(burst));
const seconds = (performance.now() - begun) / 1000;
const after = usage();
const stored = burst.events.filter(({ type }) => type === 'message').length;
print(
  'one agent’s flood',
  `${Math.round(stored / seconds)} events/s, ${EVENTS + 1 - stored} of ${EVENTS + 1} lost; worker at ${Math.round(after.rssMb)} MB`,
);
print(
  'worker’s CPU per event',
  `${Math.round(((after.cpuMs - before.cpuMs) * 1000) / stored)} µs (whole run ${Math.round(performance.now() - started)} ms)`,
);

worker.kill('SIGTERM');
await once(worker, 'exit');
await service.close();
rmSync(dataDir, { recursive: true, force: true });
