/**
 * How long a run waits for its agent's first word where there is something to set up: `node
 * bench/worker/setup.ts [runs] [bwrap|container]`. Cold, the commands are run and what they left is
 * kept; warm, it is given to the run. The worker and the scripted service of the tests are in this
 * process.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { startWorker } from '../../src/worker/main.ts';
import { IMAGE, prepareContainers } from '../../test/support/containers.ts';
import { WorkerProtocol, type ServedRun } from '../../test/support/worker-protocol.ts';
import { FAKE_HARNESSES, makeLease, makeRemote, script } from '../../test/support/worker-remote.ts';

const RUNS = Number(process.argv[2] ?? 10);
const SANDBOX = process.argv[3] === 'container' ? 'container' : 'bwrap';
/** As many files as a small project's packages have, and as long as it takes to fetch them. */
const SET_UP =
  'mkdir -p node_modules && cd node_modules && for d in $(seq 1 60); do mkdir $d; for f in $(seq 1 50); do head -c 8000 /dev/zero > $d/$f.js; done; done; sleep 3';

const missing = SANDBOX === 'container' ? await prepareContainers() : undefined;
if (missing !== undefined) throw new Error(missing);
const dataDir = mkdtempSync(join(tmpdir(), 'runlink-bench-'));
const service = new WorkerProtocol();
await service.listen();
const worker = await startWorker({
  baseUrl: service.baseUrl,
  apiKey: 'rl_worker_key_of_the_bench',
  dataDir,
  sandbox: SANDBOX,
  harnesses: FAKE_HARNESSES,
  environment: { PATH: process.env['PATH'] },
  allowInsecureRemotes: true,
  log: silentLog,
});
const remote = makeRemote(mkdtempSync(join(dataDir, 'remotes-')));

async function firstWord(setUp: string[]): Promise<number> {
  const lease = makeLease(service, { prompt: script({ say: 'done' }) }, remote);
  const { environment } = lease;
  if (!environment) throw new Error('the lease has an environment');
  const started = performance.now();
  const run: ServedRun = service.offer({
    ...lease,
    config: { harness: { type: 'fake' } },
    environment: {
      ...environment,
      ...(SANDBOX === 'container' ? { image: IMAGE } : {}),
      pull_request: false,
      setup_commands: setUp,
    },
  });
  let first = 0;
  while (run.completed.length === 0) {
    await once(service, 'changed');
    if (first === 0 && run.events.some(({ type }) => type === 'message'))
      first = performance.now() - started;
  }
  if (first === 0) throw new Error(`no word came: ${run.completed[0]?.message}`);
  return first;
}

const percentile = (values: number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);
const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
process.stdout.write(
  `${SANDBOX}, ${execFileSync('nproc').toString().trim()} cores, load ${load} at the start\n`,
);
const kinds: [string, (index: number) => string[]][] = [
  ['nothing to set up', () => []],
  ['cold', (index) => [SET_UP, `: ${index}`]],
  ['warm', () => [SET_UP, ': 0']],
];
for (const [name, setUp] of kinds) {
  const times: number[] = [];
  for (let index = 0; index < (name === 'cold' ? Math.min(3, RUNS) : RUNS); index += 1)
    times.push(await firstWord(setUp(index)));
  process.stdout.write(
    `| ${name} | p50 ${percentile(times, 0.5)} ms, fastest ${percentile(times, 0)} ms, p95 ${percentile(times, 0.95)} ms |\n`,
  );
}
await worker.drain(0);
await service.close();
rmSync(dataDir, { recursive: true, force: true });
