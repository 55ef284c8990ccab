import { parseArgs } from 'node:util';
import { countRuns } from '../../src/service/statistics/count-runs.ts';
import { startBenchServer } from './server.ts';
import { fillRuns } from './fill.ts';
import { ms, summarise, time } from './measure.ts';

/**
 * GET /agent/statistics over HTTP at a million runs: spans and groups, how long counting them took,
 * and what the tables weigh. `--data DIR` keeps the filled database for the next time. `--counts`
 * fills the daily counts that such runs leave, which is all that an answer is read from, and no
 * runs.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '30' },
    data: { type: 'string' },
    counts: { type: 'boolean', default: false },
  },
});

const server = await startBenchServer(values.data);
const { context } = server.service;
const { id: teamId } = await context.db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
const { n } = await context.db
  .selectFrom('runs')
  .select((q) => q.fn.countAll<number>().as('n'))
  .executeTakeFirstOrThrow();
if (values.counts) {
  if ((await countedSoFar()) === 0) await fillCounts(Number(values.runs));
} else if (n < Number(values.runs))
  await fillRuns(context.database.url, teamId, Number(values.runs));

/** As many keys as `fillRuns` spreads its runs over, all of them on each of 463 days. */
async function fillCounts(runs: number): Promise<void> {
  const keys = { all: 1, environment: 401, repository: 200, agent: 50, model: 8, person: 500 };
  for (const [dimension, count] of Object.entries(keys)) {
    const daily = runs / 463 / count;
    const took = (share: number): string => `${(daily * share).toFixed(3)} * (1 + (n + day) % 2)`;
    await context.database.pool.query(
      `insert into statistics (team_id, dimension, key, day, runs, succeeded, failed, errors, blocked,
        cost_micros, total_tokens, pull_requests, merged_pull_requests, took_10, took_14, took_18)
      select $1, $2, case when $2 = 'all' then '' else 'key-' || n end, current_date - day,
        greatest(${took(1)}, 1), ${took(0.8)}, ${took(0.08)}, ${took(0.04)}, ${took(0.04)},
        90000 * ${took(1)}, 40000 * ${took(1)}, ${took(0.2)}, ${took(0.1)}, ${took(0.3)}, ${took(0.4)}, ${took(0.3)}
      from generate_series(1, ${count}) n, generate_series(0, 462) day`,
      [teamId, dimension],
    );
  }
  await context.database.pool.query('vacuum (analyze) statistics');
}

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
await context.database.pool.query('vacuum (analyze) monthly_statistics');
const sizes = `select relname, pg_size_pretty(pg_total_relation_size(oid)) as size, reltuples::int as rows
  from pg_class where relname in ('statistics', 'monthly_statistics', 'run_facts', 'runs')`;
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
