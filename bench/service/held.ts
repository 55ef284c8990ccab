import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { sleep } from '../../src/base/time.ts';
import { ensureEmbeddedServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { openServiceTables } from '../../src/service/create-service.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { WAITS_PER_KEY } from '../../src/service/waiting/wait-slots.ts';
import { ms, summarise } from './measure.ts';
import { cpuOf, cpuOfDatabase, startNode, stopNode } from './node.ts';

/**
 * Clients that wait for a change of a run (`Prefer: wait`) at one `serve`: its memory for each, its
 * processor time while nothing changes, how soon all hear of a change, and what a key gets that has
 * as many waiting as it may. Clients wait again when their 25 s are over, as watchers do.
 */
const CLIENTS = Number(process.argv[2] ?? 10_000);
const IDLE_MS = 20_000;

const folder = await mkdtemp(join(tmpdir(), 'runlink-bench-'));
const database = await ensureEmbeddedServer(join(folder, 'data'));
const url = new URL(database.url);
url.pathname = '/postgres';
const node = await startNode({ folder, url: url.href, name: 'node' });
const pid = node.process.pid ?? 0;
const tables = await openServiceTables({ url: url.href }, silentLog);
const keys: string[] = [];
while (keys.length * WAITS_PER_KEY < CLIENTS)
  keys.push((await createPersonalKey(tables.kysely, { team: 'default', user: 'owner' })).key);
await tables.close();
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

interface Answered {
  status: number;
  etag: string;
  waited: boolean;
  body: string;
  at: number;
}

async function ask(
  method: string,
  path: string,
  key: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<Answered> {
  const sent = request(node.origin + API_PREFIX + path, {
    method,
    agent,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });
  sent.end(body ? JSON.stringify(body) : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const at = performance.now();
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return {
    status: response.statusCode ?? 0,
    etag: response.headers.etag ?? '',
    waited: response.headers['preference-applied'] !== undefined,
    body: text,
    at,
  };
}

async function rss(): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

const [first = ''] = keys;
const { body } = await ask('POST', '/agent/runs', first, { body: { prompt: 'Wait.' } });
const { run_id: run } = JSON.parse(body) as { run_id: string };
const { etag } = await ask('GET', `/agent/runs/${run}`, first);
const wait = { headers: { 'if-none-match': etag, prefer: 'wait=25' } };

/**
 * Requests that met a connection which the server was just closing; asked again, as every client
 * does.
 */
let broken = 0;

/** Waits, again and again, until the run has changed; answers when it heard. */
async function hear(key: string): Promise<number> {
  for (;;) {
    const answer = await ask('GET', `/agent/runs/${run}`, key, wait).catch(() => undefined);
    if (answer === undefined || answer.status === 408) {
      broken += 1;
      continue;
    }
    if (answer.status === 200) return answer.at;
    if (answer.status !== 304) throw new Error(`answered ${answer.status}: ${answer.body}`);
  }
}

const before = await rss();
const began = performance.now();
const heard: Promise<number>[] = [];
for (let client = 0; client < CLIENTS; client += 1) {
  heard.push(hear(keys[Math.floor(client / WAITS_PER_KEY)] ?? ''));
  if (client % 250 === 249) await sleep(100);
}
console.log(
  `${CLIENTS} clients, ${keys.length} keys; all asked after ${ms(performance.now() - began)} ms`,
);
await sleep(5000);
const held = await rss();
console.log(
  `RSS ${(before / 1024).toFixed(0)} MB before, ${(held / 1024).toFixed(0)} MB holding them: ${((held - before) / CLIENTS).toFixed(1)} kB each`,
);
const cpu = { service: await cpuOf(pid), database: await cpuOfDatabase(database.pid) };
const idleFrom = performance.now();
await sleep(IDLE_MS);
const spent = performance.now() - idleFrom;
const share = (now: number, then: number): string =>
  `${(((now - then) / spent) * 100).toFixed(1)} %`;
console.log(
  `nothing changes, each asks again every 25 s: service ${share(await cpuOf(pid), cpu.service)} of a core, ` +
    `PostgreSQL ${share(await cpuOfDatabase(database.pid), cpu.database)} (load ${loadavg()[0]?.toFixed(1)})`,
);
const busyFrom = await cpuOf(pid);
const changed = performance.now();
await ask('POST', `/agent/runs/${run}/cancel`, first);
const { p50, p99, max } = summarise((await Promise.all(heard)).map((at) => at - changed));
console.log(
  `all hear of a change: p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, last ${ms(max)} ms; ` +
    `${((await cpuOf(pid)) - busyFrom).toFixed(0)} ms of the service's processor time; ${broken} asked again on a new connection`,
);

const { etag: last } = await ask('GET', `/agent/runs/${run}`, first);
const more = { headers: { 'if-none-match': last, prefer: 'wait=3' } };
const answers = await Promise.all(
  Array.from({ length: WAITS_PER_KEY + 44 }, () => ask('GET', `/agent/runs/${run}`, first, more)),
);
console.log(
  `${answers.length} at once with one key: ${answers.filter(({ waited }) => waited).length} held, ` +
    `${answers.filter(({ waited }) => !waited).length} answered at once without Preference-Applied, all ${[...new Set(answers.map(({ status }) => status))].join(', ')}`,
);
agent.destroy();
await stopNode(node);
await stopEmbeddedServer(database.pid);
await rm(folder, { recursive: true, force: true });
