import { setTimeout as sleep } from 'node:timers/promises';
import { startGithub, startService, type Seen } from './fakes.ts';
import { startMeasured, useDatabase } from './measured.ts';
import { PRIVATE_KEY, SECRET } from './payload.ts';

const RUNS = 10_000;
const SECONDS = 30;
const CHANGES_PER_SECOND = 1;

const seen: Seen = { comments: 0, runs: new Map(), lists: 0 };
const database = await useDatabase();
const service = await startService(seen);
const settings = {
  kind: 'runlink' as const,
  works: true,
  secret: SECRET,
  privateKey: PRIVATE_KEY,
  databaseUrl: database.url,
  githubApiUrl: await startGithub(seen),
  serviceUrl: service.url,
};
const first = await startMeasured({ ...settings, works: false });
await first.stop();
await database.query.query(
  `insert into app.runs (run_id, request_id, installation_id, repository, number, actor, state, run, stale)
   select 'run-' || n, 'request-' || n, n % 50, 'acme/widgets', n, 'octocat', 'INPROGRESS',
     jsonb_build_object('run_id', 'run-' || n, 'state', 'INPROGRESS'), false
   from generate_series(1, $1::int) n`,
  [RUNS],
);
const measured = await startMeasured(settings);
await sleep(10_000);

async function measure(what: string, changes: boolean): Promise<void> {
  const lists = seen.lists;
  const { cpuMs } = await measured.usage();
  for (let second = 0; second < SECONDS; second += 1) {
    if (changes) for (let n = 0; n < CHANGES_PER_SECOND; n += 1) service.change();
    await sleep(1000);
  }
  const after = await measured.usage();
  console.log(what, {
    watchedRuns: RUNS,
    requestsPerMinute: ((seen.lists - lists) * 60) / SECONDS,
    rssMb: after.rssMb,
    cpuPercent: Number(((after.cpuMs - cpuMs) / SECONDS / 10).toFixed(2)),
  });
}

await measure('nothing changes', false);
await measure(`${CHANGES_PER_SECOND} change a second`, true);
await measured.stop();
await database.close();
process.exit();
