import { parseArgs } from 'node:util';
import { startBenchServer, type BenchServer } from './server.ts';
import { fillRuns } from './fill.ts';
import { SEARCHES, SORTS, filters, pathOf, type ListQuery } from './list-queries.ts';
import { encodeQuery } from '../../src/contract/query.ts';
import { ms, summarise, time } from './measure.ts';

/**
 * GET /agent/runs over HTTP at a million runs: every filter with every sort, the first page and a
 * page ten thousand runs deep. `--data DIR` keeps the filled database for the next time.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '20' },
    data: { type: 'string' },
    slow: { type: 'string', default: '30' },
    only: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const DEPTH = 10_000;
const PAGE_MAX = 500;

interface Page {
  runs: unknown[];
  page_info: { has_next_page: boolean; next_cursor?: string };
}

async function read(server: BenchServer, query: ListQuery): Promise<Page> {
  const response = await fetch(server.baseUrl + pathOf(query), {
    headers: { authorization: `Bearer ${server.key}` },
  });
  if (!response.ok) throw new Error(`${pathOf(query)}: ${await response.text()}`);
  return (await response.json()) as Page;
}

async function deepCursor(server: BenchServer, query: ListQuery): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let depth = 0; depth < DEPTH; depth += PAGE_MAX) {
    const page = await read(server, { ...query, limit: PAGE_MAX, cursor });
    if (!page.page_info.next_cursor) return undefined;
    cursor = page.page_info.next_cursor;
  }
  return cursor;
}

const server = await startBenchServer(values.data);
const { db, database } = server.service.context;
const { id: teamId } = await db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
const { n } = await db
  .selectFrom('runs')
  .select((q) => q.fn.countAll<number>().as('n'))
  .executeTakeFirstOrThrow();
if (n < Number(values.runs)) await fillRuns(database.url, teamId, Number(values.runs));
const facts = await database.pool.query<{ scheduleId: string; ancestorId: string }>(
  `select (select schedule_id from runs where schedule_id is not null limit 1) as "scheduleId",
     (select root_run_id from runs where root_run_id <> id limit 1) as "ancestorId"`,
);
const first: number[] = [];
const deep: number[] = [];
for (const [name, filter] of Object.entries(
  filters(facts.rows[0] ?? { scheduleId: '', ancestorId: '' }),
)) {
  if (values.only && !name.includes(values.only)) continue;
  for (const sort of SORTS) {
    const query = { ...filter, ...sort };
    const top = await time(() => read(server, query), { count: rounds });
    first.push(...top.times);
    const cursor = await deepCursor(server, query);
    const below =
      cursor === undefined
        ? undefined
        : await time(() => read(server, { ...query, cursor }), { count: rounds });
    deep.push(...(below?.times ?? []));
    const [a, b] = [summarise(top.times), below && summarise(below.times)];
    if (Math.max(a.p99, b?.p99 ?? 0) > Number(values.slow))
      console.log(
        `slow: ${name} ${encodeQuery(sort).toString()}: first ${ms(a.p50)}/${ms(a.p99)} deep ${b ? `${ms(b.p50)}/${ms(b.p99)}` : '-'}`,
      );
  }
}
const search: number[] = [];
for (const q of values.only ? [] : SEARCHES) {
  const { times } = await time(() => read(server, { q }), { count: rounds });
  search.push(...times);
  console.log(`q "${q}": ${ms(summarise(times).p50)} / ${ms(summarise(times).p99)} ms`);
}
for (const [name, times] of Object.entries({
  'first page': first,
  '10,000 deep': deep,
  q: search,
})) {
  const { count, p50, p99, max } = summarise(times);
  console.log(
    `${name}: ${count} requests, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, max ${ms(max)} ms`,
  );
}
await server.close();
