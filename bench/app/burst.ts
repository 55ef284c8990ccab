import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGithub, startService, type Seen } from './fakes.ts';
import { load } from './load.ts';
import { startMeasured, useDatabase } from './measured.ts';
import { PRIVATE_KEY, SECRET, commentWebhook } from './payload.ts';

/**
 * The burst of issue 5, half of it duplicates, one in ten a command; several, to see what stays.
 */
const DELIVERIES = 10_000;
const INSTALLATIONS = 50;
const BURSTS = 5;
const COMMANDS = DELIVERIES / 20;
const IDLE_MS = 10_000;

const seen: Seen = { comments: 0, runs: new Map(), lists: 0 };
const database = await useDatabase();
const measured = await startMeasured({
  kind: 'runlink',
  works: true,
  secret: SECRET,
  privateKey: PRIVATE_KEY,
  databaseUrl: database.url,
  githubApiUrl: await startGithub(seen),
  serviceUrl: (await startService(seen)).url,
});

/**
 * Waits, noting the most memory used meanwhile, until something holds; answers the seconds it took.
 */
async function until(holds: () => boolean, peaks: number[]): Promise<number> {
  const begun = performance.now();
  while (!holds() && performance.now() - begun < 150_000) {
    peaks.push((await measured.usage()).rssMb);
    await sleep(250);
  }
  return Number(((performance.now() - begun) / 1000).toFixed(1));
}

const left = async (rows: string): Promise<number> =>
  (await database.query.query<{ left: number }>(`select count(*)::int as left from ${rows}`))
    .rows[0]?.left ?? 0;

console.log('before', await measured.usage());
for (let burst = 1; burst <= BURSTS; burst += 1) {
  const different = Array.from({ length: DELIVERIES / 2 }, (_, n) =>
    commentWebhook({
      number: burst * DELIVERIES + n + Math.floor(n / INSTALLATIONS),
      installation: (n % INSTALLATIONS) + 1,
      text:
        Math.floor(n / INSTALLATIONS) % 10 === 0
          ? '/agent new fix it'
          : 'I agree, this should be fixed.',
      guid: randomUUID(),
    }),
  );
  const mixed = [...different, ...different].toSorted(() => Math.random() - 0.5);
  const peaks: number[] = [];
  const runs = until(() => seen.runs.size === burst * COMMANDS, peaks);
  const comments = until(() => seen.comments === burst * COMMANDS, peaks);
  const taken = await load(measured.url, mixed, 32);
  console.log(`burst ${burst}`, {
    taken,
    secondsUntilAllRunsExist: await runs,
    secondsUntilAllCommentsExist: await comments,
    commands: burst * COMMANDS,
    runs: seen.runs.size,
    doubled: [...seen.runs.values()].filter((times) => times > 1).length,
    comments: seen.comments,
    deliveriesLeft: await left('app.deliveries where finished_at is null'),
    writesLeft: await left('app.posts where written < version'),
    highestRssMb: Math.max(...peaks),
    after: await measured.usage(),
  });
}
await sleep(IDLE_MS);
console.log('left idle', await measured.usage());
await measured.stop();
await database.close();
process.exit();
