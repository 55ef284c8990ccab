import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { sleep } from '../../src/base/time.ts';
import { findRunningServer } from '../../src/database/cluster.ts';
import { stopEmbeddedServer } from '../../src/database/embedded-server.ts';

/**
 * Clears away what a test run leaves: `reaper.ts DATABASE_DIR TEMPORARY_DIR`. Waits until its
 * standard input ends, which it does with the run, however that dies. Where the run did not say
 * `done` before, every process that works in one of the folders, or names it, is ended.
 */
const FOR_MS = 10_000;
const [, , databaseDir = '', temporaryDir = ''] = process.argv;
const run = promisify(execFile);
const folders = [databaseDir, temporaryDir];

const isDone = (await text(process.stdin)) === 'done';
const until = Date.now() + FOR_MS;
for (let left = isDone ? [] : await involved(); left.length > 0; left = await involved()) {
  // What cannot be ended is not waited for: nobody would end this process either.
  if (Date.now() > until + FOR_MS) break;
  // A server that is killed leaves its shared memory to the machine.
  for (const { pid, isDatabase } of left)
    send(pid, isDatabase && Date.now() < until ? 'SIGINT' : 'SIGKILL');
  await sleep(50);
}
const server = await findRunningServer(databaseDir);
if (server) await stopEmbeddedServer(server.pid);
for (const mounted of await mountsBelow()) await run('umount', ['-l', mounted]).catch(() => {});
for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 2 });

/**
 * What the storage of a container that was killed keeps mounted: Node would try for hours to remove
 * it.
 */
async function mountsBelow(): Promise<string[]> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const places = mounts.split('\n').flatMap((line) => line.split(' ')[1] ?? []);
  return places.filter((place) => folders.some((folder) => place.startsWith(`${folder}/`)));
}

async function involved(): Promise<{ pid: number; isDatabase: boolean }[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string): Promise<string> =>
        readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const traces = [place, await read('cmdline'), await read('environ')].join('\n');
      if (!folders.some((folder) => traces.includes(folder))) return [];
      return [{ pid: Number(pid), isDatabase: (await read('comm')).startsWith('postgres') }];
    }),
  );
  return found.flat().filter(({ pid }) => pid !== process.pid);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, which is what was wanted.
  }
}
