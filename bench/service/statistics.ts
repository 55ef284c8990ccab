import { parseArgs } from 'node:util';
import { countRuns } from '../../src/service/statistics/count-runs.ts';
import { startBenchServer } from './server.ts';
import { fillRuns } from './fill.ts';
import { ms, summarise, time } from './measure.ts';

/**
 * GET /agent/statistics over HTTP at a million runs: spans and groups, how long counting them took,
 * and what the tables weigh. `--data DIR` keeps the filled database for the next time.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '30' },
    data: { type: 'string' },
  },
});

const server = await startBenchServer(values.data);
const { context } = server.service;
const { id: teamId } = await context.db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
const { n } = await context.db
  .selectFrom('runs')
  .select((q) => q.fn.countAll<number>().as('n'))
  .executeTakeFirstOrThrow();
if (n < Number(values.runs)) await fillRuns(context.database.url, teamId, Number(values.runs));

async function countedSoFar(): Promise<number> {
  const text = `select coalesce(sum(runs), 0)::int as n from statistics where dimension = 'all'`;
  const { rows } = await context.database.pool.query<{ n: number }>(text);
  return rows[0]?.n ?? 0;
}

const [begun, before] = [performance.now(), await countedSoFar()];
for (let last = -1, now = before; now > last; now = await countedSoFar()) {
  last = now;
  await countRuns(context);
}
const [seconds, counted] = [(performance.now() - begun) / 1000, (await countedSoFar()) - before];
console.log(`counted ${counted} runs in ${seconds.toFixed(1)} s`);
const idle = await time(() => countRuns(context), { count: 20 });
console.log(`a look when there is nothing new: p50 ${ms(summarise(idle.times).p50)} ms`);
await context.database.pool.query('vacuum (analyze) statistics');
const sizes = `select relname, pg_size_pretty(pg_total_relation_size(oid)) as size, reltuples::int as rows
  from pg_class where relname in ('statistics', 'run_facts', 'runs')`;
for (const row of (await context.database.pool.query(sizes)).rows) console.log(JSON.stringify(row));

const SPANS = { '30 days': 30, '90 days': 90, 'all (463 days)': 463 };
const GROUPS = ['', 'environment', 'repository', 'agent', 'model', 'person'];
console.log(`| p50 / p99 in ms | ${GROUPS.map((group) => group || 'no groups').join(' | ')} |`);
for (const [name, days] of Object.entries(SPANS)) {
  const from = new Date(Date.now() - days * 86_400_000).toISOString();
  const cells: string[] = [];
  for (const group of GROUPS) {
    const query = new URLSearchParams({ from, ...(group ? { group_by: group } : {}) });
    const { times } = await time(
      async () => {
        const answer = await fetch(`${server.baseUrl}/agent/statistics?${query.toString()}`, {
          headers: { authorization: `Bearer ${server.key}` },
        });
        if (!answer.ok) throw new Error(await answer.text());
        await answer.arrayBuffer();
      },
      { count: Number(values.rounds) },
    );
    const { p50, p99 } = summarise(times);
    cells.push(`${ms(p50)} / ${ms(p99)}`);
  }
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
await server.close();
