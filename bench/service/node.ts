import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../src/base/time.ts';
import { PRODUCT_FLAGS } from '../product-flags.ts';

const TICKS_PER_SECOND = 100;

/** A server in a process of its own. */
export interface Node {
  process: ChildProcess;
  origin: string;
}

/** Starts `runlink serve`, without a worker, on a database. */
export async function startNode({
  folder,
  url,
  name,
  flags = [],
}: {
  folder: string;
  url: string;
  name: string;
  /** More flags for Node.js. */
  flags?: readonly string[];
}): Promise<Node> {
  const ready = join(folder, `${name}.json`);
  const serve = ['serve', '--no-worker', '--port', '0', '--data', join(folder, name)];
  const where = ['--database-url', url, '--ready-file', ready];
  const child = spawn(
    process.execPath,
    [...PRODUCT_FLAGS, ...flags, 'src/cli/main.ts', ...serve, ...where],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  for (;;) {
    const text = await readFile(ready, 'utf8').catch(() => '');
    if (text !== '') return { process: child, origin: (JSON.parse(text) as { url: string }).url };
    if (child.exitCode !== null) throw new Error('serve did not start');
    await sleep(50);
  }
}

export async function stopNode({ process: child }: Node): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Processor time of a process in ms, with that of the children it has waited for. */
export async function cpuOf(pid: number | string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return (fields.reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND) * 1000;
}

/** The same of PostgreSQL's server and its processes. */
export async function cpuOfDatabase(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const children = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')),
  );
  const pids = children.join(' ').split(' ').filter(Boolean);
  const times = await Promise.all([String(pid), ...pids].map(cpuOf));
  return times.reduce((sum, time) => sum + time, 0);
}
