import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGithub, startService, type Seen } from './fakes.ts';
import { load } from './load.ts';
import { startMeasured, useDatabase } from './measured.ts';
import { PRIVATE_KEY, SECRET, commentWebhook } from './payload.ts';

/** The burst of issue 5: half of it duplicates, one in ten a command. */
const DELIVERIES = 10_000;
const INSTALLATIONS = 50;

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
const different = Array.from({ length: DELIVERIES / 2 }, (_, number) =>
  commentWebhook({
    number: number + 1,
    installation: (number % INSTALLATIONS) + 1,
    text: number % 10 === 0 ? '/agent new fix it' : 'I agree, this should be fixed.',
    guid: randomUUID(),
  }),
);
const burst = [...different, ...different].toSorted(() => Math.random() - 0.5);
const before = await measured.usage();
let highest = before.rssMb;
const begun = performance.now();
const taken = await load(measured.url, burst, 32);
const wanted = different.length / 10;
while (seen.runs.size < wanted && performance.now() - begun < 300_000) {
  highest = Math.max(highest, (await measured.usage()).rssMb);
  await sleep(500);
}
const seconds = (performance.now() - begun) / 1000;
await sleep(5000);
const { rows } = await database.query.query<{ waiting: number }>(
  'select count(*)::int as waiting from app.deliveries where finished_at is null',
);
const outbox = await database.query.query<{ waiting: number }>(
  'select count(*)::int as waiting from app.posts where written < version',
);
console.log({
  taken,
  commands: wanted,
  runs: seen.runs.size,
  doubled: [...seen.runs.values()].filter((times) => times > 1).length,
  secondsUntilAllRunsExist: Number(seconds.toFixed(1)),
  deliveriesLeft: rows[0]?.waiting,
  commentsWritten: seen.comments,
  writesLagging: outbox.rows[0]?.waiting,
  rssMb: { before: before.rssMb, highest, after: (await measured.usage()).rssMb },
});
await measured.stop();
await database.close();
process.exit();
