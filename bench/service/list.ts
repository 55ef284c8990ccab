import { parseArgs } from 'node:util';
import { startBenchServer, type BenchServer } from './server.ts';
import { fillRuns } from './fill.ts';
import {
  NO_FACTS,
  READ_FACTS,
  SEARCHES,
  SORTS,
  filters,
  pathOf,
  type FillFacts,
  type ListQuery,
} from './list-queries.ts';
import { encodeQuery } from '../../src/contract/query-codec.ts';
import { ms, summarise, time } from './measure.ts';

/**
 * GET /agent/runs over HTTP at a million runs: every filter with every sort, the first page and a
 * page ten thousand runs deep. `--data DIR` keeps the filled database for the
 * next time; `--only REGEX` takes the filters of these names, searches being named "q …".
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '20' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
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
const { rows: facts } = await database.pool.query<FillFacts>(READ_FACTS);
const COLUMNS = SORTS.map((sort) => [...encodeQuery(sort).values()].join(' '));
const only = new RegExp(values.only);
const all: Record<string, number[]> = { 'first page': [], '10,000 deep': [], q: [] };

/** The first page's p99 and, where there is one, that of the page far below. */
async function measure(query: ListQuery): Promise<string> {
  const top = await time(() => read(server, query), { count: rounds });
  all['first page']?.push(...top.times);
  const cursor = await deepCursor(server, query);
  if (cursor === undefined) return ms(summarise(top.times).p99);
  const below = await time(() => read(server, { ...query, cursor }), { count: rounds });
  all['10,000 deep']?.push(...below.times);
  return `${ms(summarise(top.times).p99)} / ${ms(summarise(below.times).p99)}`;
}

console.log(`| p99 in ms: first page / 10,000 deep | ${COLUMNS.join(' | ')} |`);
for (const [name, filter] of Object.entries(filters(facts[0] ?? NO_FACTS))) {
  if (!only.test(name)) continue;
  const cells: string[] = [];
  for (const sort of SORTS) cells.push(await measure({ ...filter, ...sort }));
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
for (const q of SEARCHES) {
  if (!only.test(`q ${q}`)) continue;
  const { times } = await time(() => read(server, { q, sort_by: 'relevance' }), { count: rounds });
  all['q']?.push(...times);
  console.log(`| q "${q}" | p50 ${ms(summarise(times).p50)}, p99 ${ms(summarise(times).p99)} |`);
}
for (const [name, times] of Object.entries(all)) {
  const { count, p50, p99, max } = summarise(times);
  if (count > 0)
    console.log(
      `${name}: ${count} requests, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, max ${ms(max)} ms`,
    );
}
await server.close();
