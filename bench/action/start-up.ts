import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';

/** Time and processor time from the start of the process to its first request on the wire. */
const ROUNDS = Number(process.argv[2] ?? 30);
const ROOT = resolve(import.meta.dirname, '../..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const directory = mkdtempSync(join(tmpdir(), 'runlink-bench-'));

interface Sample {
  wallMs: number;
  cpuMs: number;
}

let onRequest: (() => void) | undefined;
const server = createServer((_, response) => {
  onRequest?.();
  response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const user = { login: 'alice', type: 'User' };
const event = join(directory, 'event.json');
writeFileSync(
  event,
  JSON.stringify({
    action: 'created',
    repository: { full_name: 'acme/widgets' },
    sender: user,
    issue: { number: 1, html_url: `${url}/acme/widgets/issues/1`, title: 'It fails', user },
    comment: {
      id: 1,
      node_id: 'IC_1',
      body: '/agent fix it',
      user,
      created_at: '2026-01-01T00:00:00Z',
    },
  }),
);

/** The toolkit alone, bundled as the Action is. */
async function bundleToolkit(): Promise<string> {
  const out = join(directory, 'toolkit');
  const input = join(ROOT, 'bench/action/toolkit-only.ts');
  await build({ input, platform: 'node', output: { dir: out, entryFileNames: 'index.js' } });
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  return join(out, 'index.js');
}

function processorMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => {
    const [spent = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(spent);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

async function sample(args: string[], env: NodeJS.ProcessEnv): Promise<Sample> {
  const started = performance.now();
  const child = spawn(NODE, args, { env, stdio: 'ignore' });
  const exited = new Promise<void>((onExit) => child.on('exit', () => onExit()));
  const seen = new Promise<Sample>((onSample) => {
    onRequest = () => {
      onRequest = undefined;
      onSample({ wallMs: performance.now() - started, cpuMs: processorMs(child.pid ?? 0) });
    };
  });
  const result = await seen;
  child.kill('SIGKILL');
  await exited;
  return result;
}

function environment(eventName: string, inputs: Record<string, string>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    'INPUT_GITHUB-TOKEN': 'token',
    'INPUT_BASE-URL': `${url}/api/v1`,
    'INPUT_API-KEY': 'key',
    GITHUB_EVENT_NAME: eventName,
    GITHUB_EVENT_PATH: event,
    GITHUB_API_URL: url,
    GITHUB_REPOSITORY: 'acme/widgets',
    ...inputs,
  };
}

const tokenless = { INPUT_PROMPT: 'do it', 'INPUT_GITHUB-TOKEN': '' };
const named = { 'INPUT_ENVIRONMENT-ID': 'A'.repeat(22) };
const ours = join(ROOT, 'dist/index.js');
const bare = `require('node:http').get(${JSON.stringify(url)})`;
const variants: [string, string[], NodeJS.ProcessEnv][] = [
  ['node alone, one http.get', ['-e', bare], environment('push', {})],
  ['toolkit only, one request', [await bundleToolkit()], environment('push', {})],
  ['Runlink, prompt', [ours], environment('push', { INPUT_PROMPT: 'do it' })],
  ['Runlink, prompt, no token', [ours], environment('push', tokenless)],
  ['… and a named environment', [ours], environment('push', { ...tokenless, ...named })],
  ['Runlink, command', [ours], environment('issue_comment', {})],
];
const samples = new Map<string, Sample[]>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, args, env] of variants) {
    samples.set(name, [...(samples.get(name) ?? []), await sample(args, env)]);
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

process.stdout.write(
  '| to the first request | wall, median | wall, least | processor, median |\n|---|---|---|---|\n',
);
for (const [name, list] of samples) {
  const wall = list.map((one) => one.wallMs);
  const cells = [median(wall), Math.min(...wall), median(list.map((one) => one.cpuMs))];
  process.stdout.write(`| ${name} | ${cells.map((ms) => `${ms.toFixed(1)} ms`).join(' | ')} |\n`);
}
for (const file of readdirSync(join(ROOT, 'dist')).toSorted()) {
  process.stdout.write(`dist/${file} ${statSync(join(ROOT, 'dist', file)).size} bytes\n`);
}
server.closeAllConnections();
server.close();
rmSync(directory, { recursive: true, force: true });
