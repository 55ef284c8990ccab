/**
 * What a change costs a run: `node bench/worker/compare.ts RUNS BEFORE AFTER`, two trees that are
 * built. A worker of each takes runs in turn, so that whatever else the machine does meets both.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRODUCT_FLAGS } from '../product-flags.ts';
import { makeLease, makeRemote } from '../../test/support/worker-remote.ts';
import { WorkerProtocol } from '../../test/support/worker-protocol.ts';

const [runs = '20', ...trees] = process.argv.slice(2);
const WARM_UP = 2;
const FIGURES = [
  'first word',
  'agent’s end → closed',
  'whole run',
  'CPU of all processes',
] as const;
type Figures = Record<(typeof FIGURES)[number], number>;

interface Contender {
  tree: string;
  /** Carries out one run of the demo agent; milliseconds. */
  run: () => Promise<Figures>;
  stop: () => Promise<void>;
}

async function contend(tree: string): Promise<Contender> {
  const service = new WorkerProtocol();
  await service.listen();
  const dataDir = mkdtempSync(join(tmpdir(), 'runlink-bench-'));
  const config = join(dataDir, 'runlink.yaml');
  writeFileSync(config, '{default_harness: demo, allow_insecure_remotes: true}');
  const words = ['worker', '--base-url', service.baseUrl, '--data', dataDir, '--config', config];
  const cli = join(tree, 'build/cli/main.js');
  const worker = spawn(process.execPath, [...PRODUCT_FLAGS, cli, ...words], {
    env: { PATH: process.env['PATH'], RUNLINK_API_KEY: 'rl_worker_key_of_the_bench' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  worker.stderr.resume();
  await once(worker.stderr, 'data');
  const remote = makeRemote(mkdtempSync(join(dataDir, 'remotes-')));
  /** The worker and all that it waited for. */
  const cpuMs = (): number => {
    const stat = readFileSync(`/proc/${worker.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(stat?.[at]) * 10, 0);
  };
  const until = async (done: () => boolean): Promise<number> => {
    while (!done()) await once(service, 'changed');
    return performance.now();
  };
  return {
    tree,
    run: async () => {
      const [cpu, began] = [cpuMs(), performance.now()];
      const run = service.offer(makeLease(service, {}, remote));
      const first = await until(() => run.events.some(({ type }) => type === 'message'));
      const turned = await until(() => run.events.some(({ type }) => type === 'turn_end'));
      const over = await until(() => run.completed.length > 0);
      // What is left to do once a run is over belongs to it.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return {
        'first word': first - began,
        'agent’s end → closed': over - turned,
        'whole run': over - began,
        'CPU of all processes': cpuMs() - cpu,
      };
    },
    stop: async () => {
      worker.kill('SIGTERM');
      await once(worker, 'exit');
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const contenders = await Promise.all(trees.map(contend));
const measured = new Map(trees.map((tree): [string, Figures[]] => [tree, []]));
for (let round = 0; round < WARM_UP + Number(runs); round += 1)
  for (const { tree, run } of contenders) {
    const figures = await run();
    if (round >= WARM_UP) measured.get(tree)?.push(figures);
  }
await Promise.all(contenders.map(({ stop }) => stop()));
const quantile = (values: number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);
for (const name of FIGURES)
  for (const tree of trees) {
    const values = (measured.get(tree) ?? []).map((figures) => figures[name]);
    const [low, middle] = [quantile(values, 0.1), quantile(values, 0.5)];
    process.stdout.write(`| ${name} | ${tree} | p50 ${middle} ms, p10 ${low} ms |\n`);
  }
