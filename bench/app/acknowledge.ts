import { randomUUID } from 'node:crypto';
import { load, type LoadResult } from './load.ts';
import { startMeasured, useDatabase } from './measured.ts';
import { PRIVATE_KEY, SECRET, commentWebhook, type Webhook } from './payload.ts';
import { watchServerCpu } from './server-cpu.ts';

/** Interleaved rounds, so that a busy machine slows both alike. */
const ROUNDS = 5;
const PER_ROUND = 4000;
const CONNECTIONS = [16, 32];
/** Both sides get quicker for so long, as their code is compiled. */
const WARM_UP_ROUNDS = 5;

let number = 0;

function webhooks(): Webhook[] {
  return Array.from({ length: PER_ROUND }, () => {
    number += 1;
    const installation = number % 50;
    return commentWebhook({ number, installation, text: '/agent fix it', guid: randomUUID() });
  });
}

const database = await useDatabase();
const settings = {
  secret: SECRET,
  privateKey: PRIVATE_KEY,
  databaseUrl: database.url,
  githubApiUrl: 'http://127.0.0.1:9',
  serviceUrl: 'http://127.0.0.1:9/api/v1',
  works: false,
};
const probot = await startMeasured({ ...settings, kind: 'probot' });
const runlink = await startMeasured({ ...settings, kind: 'runlink' });
const serverCpuMs = await watchServerCpu(database.query);
for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
  for (const { url } of [probot, runlink]) await load(url, webhooks(), 16);
}

type Side = 'probot' | 'runlink';
const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function compare(connections: number): Promise<void> {
  const sides = { probot, runlink };
  const results: Record<Side, LoadResult[]> = { probot: [], runlink: [] };
  const cpuMs = { probot: 0, runlink: 0 };
  const serverMs = { probot: 0, runlink: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of ['probot', 'runlink'] as const) {
      const sent = webhooks();
      const before = await sides[side].usage();
      const serverBefore = serverCpuMs();
      results[side].push(await load(sides[side].url, sent, connections));
      cpuMs[side] += (await sides[side].usage()).cpuMs - before.cpuMs;
      serverMs[side] += serverCpuMs() - serverBefore;
    }
  }
  const each = (ms: number): number => Number((ms / ROUNDS / PER_ROUND).toFixed(3));
  const summary = (side: Side) => ({
    deliveriesPerSecond: Math.round(middle(results[side].map((one) => one.perSecond))),
    p50Ms: Number(middle(results[side].map((one) => one.p50Ms)).toFixed(1)),
    p99Ms: Number(middle(results[side].map((one) => one.p99Ms)).toFixed(1)),
    'CPU ms: process': each(cpuMs[side]),
    PostgreSQL: each(serverMs[side]),
    sender: Number(middle(results[side].map((one) => one.cpuMsPerDelivery)).toFixed(3)),
  });
  const ratio = middle(
    results.runlink.map((one, round) => one.perSecond / (results.probot[round]?.perSecond ?? 0)),
  );
  console.log(`${connections} connections`);
  console.table({ probot: summary('probot'), runlink: summary('runlink') });
  console.log(
    `ratio ${ratio.toFixed(2)} (at least 0.8 wanted), statuses`,
    ...results.runlink.map((one) => one.statuses),
  );
}

for (const connections of CONNECTIONS) await compare(connections);
await probot.stop();
await runlink.stop();
await database.close();
