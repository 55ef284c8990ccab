import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../src/base/time.ts';
import { findRunningServer } from '../../src/database/cluster.ts';
import { ensureEmbeddedServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { PRODUCT_FLAGS } from '../product-flags.ts';

/**
 * Memory of an idle `runlink serve` 30 s after its start: the process, and the embedded
 * PostgreSQL's processes where it has one. PSS counts a page that n processes share as 1/n.
 * From the source, or from `build/` with `--build` (after `npm run build`).
 */
const SETTLE_MS = 30_000;
const main = process.argv.includes('--build') ? 'build/cli/main.js' : 'src/cli/main.ts';

interface Memory {
  rss: number;
  pss: number;
}

async function memoryOf(pid: number): Promise<Memory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mb = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
  return { rss: mb('Rss'), pss: mb('Pss') };
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')),
  );
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

/** The server's own process and one for each connection and duty. */
async function memoryOfServer(pid: number): Promise<Memory & { processes: number }> {
  const all = await Promise.all([pid, ...(await childrenOf(pid))].map(memoryOf));
  const sum = (name: keyof Memory): number => all.reduce((total, each) => total + each[name], 0);
  return { rss: sum('rss'), pss: sum('pss'), processes: all.length };
}

/** Starts `runlink serve`, lets it settle and looks. */
async function measure(label: string, dataDir: string, flags: readonly string[]): Promise<void> {
  const args = [...PRODUCT_FLAGS, main, 'serve', '--port', '0', '--data', dataDir, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (child.pid === undefined) throw new Error('runlink did not start');
  await sleep(SETTLE_MS);
  const { rss, pss } = await memoryOf(child.pid);
  const embedded = await findRunningServer(dataDir);
  const database = embedded && (await memoryOfServer(embedded.pid));
  const figures = [`${label}: process RSS ${rss.toFixed(0)} MB, PSS ${pss.toFixed(0)} MB`];
  if (database)
    figures.push(`PostgreSQL PSS ${database.pss.toFixed(0)} MB in ${database.processes} processes`);
  console.log(figures.join('; '));
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const folder = await mkdtemp(join(tmpdir(), 'runlink-bench-'));
const far = await ensureEmbeddedServer(join(folder, 'far'));
try {
  const url = new URL(far.url);
  url.pathname = '/postgres';
  const own = ['--database-url', url.href];
  await measure('embedded database', join(folder, 'a'), []);
  await measure('embedded database, no worker', join(folder, 'b'), ['--no-worker']);
  await measure('database of its own', join(folder, 'c'), own);
  await measure('database of its own, no worker', join(folder, 'd'), [...own, '--no-worker']);
} finally {
  await stopEmbeddedServer(far.pid);
  await rm(folder, { recursive: true, force: true });
}
