import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The newest that install together (npm, November 2026). */
const PACKAGES = {
  '@langchain/langgraph-api': '1.5.1',
  '@langchain/langgraph': '1.4.18',
  '@langchain/langgraph-checkpoint': '1.1.5',
  '@langchain/core': '1.4.0',
};
const READY_WITHIN_MS = 30_000;

/** An agent that has nothing to do. */
const GRAPH = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ prompt: Annotation() }))
  .addNode('work', async () => ({}))
  .addEdge(START, 'work')
  .addEdge('work', END)
  .compile();
`;

/** What `langgraph dev` does, without watching files. */
const SERVE = `
import { spawnServer } from '@langchain/langgraph-api';
const [port, jobs] = process.argv.slice(2);
const child = await spawnServer(
  { host: '127.0.0.1', port, nJobsPerWorker: jobs, reload: false },
  { hostUrl: '', config: { graphs: { agent: './graph.mjs:graph' } }, env: process.env },
  { pid: process.pid, projectCwd: process.cwd() },
);
process.once('SIGTERM', () => child.kill());
`;

/** Installs the LangGraph development server in a folder of its own, once; needs npm's registry. */
export async function installLangGraph(): Promise<string> {
  const folder = join(tmpdir(), `runlink-bench-langgraph-${PACKAGES['@langchain/langgraph-api']}`);
  await mkdir(folder, { recursive: true });
  const overrides = { '@langchain/protocol': '0.0.19' };
  const manifest = { private: true, type: 'module', dependencies: PACKAGES, overrides };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'graph.mjs'), GRAPH);
  await writeFile(join(folder, 'serve.mjs'), SERVE);
  await promisify(execFile)(
    'npm',
    ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline'],
    { cwd: folder },
  );
  return folder;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * Starts it with nothing stored; `jobs` is how many runs it executes at once (its default is 10).
 */
export async function startLangGraph(
  folder: string,
  jobs: number,
): Promise<{ origin: string; stop: () => Promise<void> }> {
  await rm(join(folder, '.langgraph_api'), { recursive: true, force: true });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const args = ['serve.mjs', String(port), String(jobs)];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await fetch(`${origin}/ok`).catch(() => undefined))?.ok) {
    if (Date.now() > deadline) throw new Error('the LangGraph server did not start');
    await sleep(100);
  }
  return {
    origin,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
