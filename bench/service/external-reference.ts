import { startBenchServer } from './server.ts';
import { fillRuns } from './fill.ts';
import { ms, summarise, time } from './measure.ts';

/**
 * GET /agent/run-by-external-reference over HTTP at a million artifacts. `DIR` keeps the filled
 * database.
 */
const [, , dataDir] = process.argv;
const RUNS = 1_000_000;
const COUNT = 500;

const server = await startBenchServer(dataDir);
const { db, database } = server.service.context;
const { id: teamId } = await db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
const { n } = await db
  .selectFrom('artifacts')
  .select((q) => q.fn.countAll<number>().as('n'))
  .executeTakeFirstOrThrow();
if (n < RUNS) await fillRuns(database.url, teamId, RUNS);
const { times } = await time(
  async () => {
    const pull = 1 + Math.floor(Math.random() * RUNS);
    const url = encodeURIComponent(`https://github.com/acme/widgets/pull/${pull}/files`);
    const response = await fetch(`${server.baseUrl}/agent/run-by-external-reference?url=${url}`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    if (!response.ok) throw new Error(await response.text());
    await response.text();
  },
  { count: COUNT },
);
const { p50, p99, max } = summarise(times);
console.log(`by external reference: p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, max ${ms(max)} ms`);
await server.close();
