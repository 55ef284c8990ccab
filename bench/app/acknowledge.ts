import { randomUUID } from 'node:crypto';
import { load, type LoadResult } from './load.ts';
import { startMeasured, useDatabase } from './measured.ts';
import { PRIVATE_KEY, SECRET, commentWebhook, type Webhook } from './payload.ts';

/** Interleaved rounds, so that a busy machine slows both alike. */
const ROUNDS = 5;
const PER_ROUND = 4000;
const CONNECTIONS = 16;

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
await load(probot.url, webhooks(), CONNECTIONS);
await load(runlink.url, webhooks(), CONNECTIONS);

const cpuOf = async (): Promise<[probot: number, runlink: number]> => [
  (await probot.usage()).cpuMs,
  (await runlink.usage()).cpuMs,
];
const cpuBefore = await cpuOf();
const rounds: { probot: LoadResult; runlink: LoadResult }[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  rounds.push({
    probot: await load(probot.url, webhooks(), CONNECTIONS),
    runlink: await load(runlink.url, webhooks(), CONNECTIONS),
  });
}
const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const summary = (side: 'probot' | 'runlink') => ({
  deliveriesPerSecond: Math.round(middle(rounds.map((round) => round[side].perSecond))),
  p50Ms: Number(middle(rounds.map((round) => round[side].p50Ms)).toFixed(1)),
  p99Ms: Number(middle(rounds.map((round) => round[side].p99Ms)).toFixed(1)),
});
const ratio = middle(rounds.map((round) => round.runlink.perSecond / round.probot.perSecond));
console.table({ probot: summary('probot'), runlink: summary('runlink') });
console.log(
  `ratio ${ratio.toFixed(2)} (at least 0.8 wanted), statuses`,
  rounds.at(-1)?.runlink.statuses,
);
const cpuAfter = await cpuOf();
const [probotCpu, runlinkCpu] = cpuAfter.map((after, side) => after - (cpuBefore[side] ?? 0));
console.log(
  `CPU of the process per delivery: probot ${((probotCpu ?? 0) / ROUNDS / PER_ROUND).toFixed(3)} ms, runlink ${((runlinkCpu ?? 0) / ROUNDS / PER_ROUND).toFixed(3)} ms`,
);
await probot.stop();
await runlink.stop();
await database.close();
