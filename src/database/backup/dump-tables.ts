import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { JOBS } from '../job-statements.ts';
import { connectAlone } from './hold.ts';

/** The rooms that have tables, in the order in which they are restored. */
export const ROOMS = ['runlink', 'app'] as const;
/**
 * A restore creates jobs anew from other tables. Only these hold something that is stored nowhere
 * else.
 */
const JUDGES = `select data from ${JOBS} where name = 'judges' and state < 'completed'`;

const sqlName = z.string().regex(/^"?[a-z_0-9]+"?$/);
const table = z.object({ schema: z.enum(ROOMS), name: sqlName, columns: z.array(sqlName) });
export type TableOfBackup = z.infer<typeof table>;

/** What a backup says about its database. */
export const databaseOfBackup = z.object({
  /** The last migration of each room in the database. */
  rooms: z.partialRecord(z.enum(ROOMS), z.string()),
  /** Ordered so that no row comes before one that it refers to. */
  tables: z.array(table),
});
export type DatabaseOfBackup = z.infer<typeof databaseOfBackup>;

/** The database at one moment. Others can keep working with it meanwhile. */
export interface Snapshot {
  takenAt: string;
  database: DatabaseOfBackup;
  /** The rows in PostgreSQL's text format, which is the same in every version. */
  rows(table: TableOfBackup): AsyncIterable<Buffer>;
  judges(): Promise<unknown[]>;
  /** The last value of each sequence. */
  counters(): Promise<Record<string, string>>;
  query<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
}

/**
 * Reads a database as it is now. Until that is done, no contents are deleted. Throws `no_service`
 * if it holds no service.
 */
export async function withSnapshot<T>(
  url: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const client = await connectAlone(url, 'runlink-backup');
  try {
    await client.query('begin isolation level repeatable read read only');
    return await work(await snapshotOf(client));
  } finally {
    await client.end();
  }
}

async function snapshotOf(client: Client): Promise<Snapshot> {
  const query = async <T extends object>(text: string, values?: unknown[]): Promise<T[]> =>
    (await client.query<T>(text, values)).rows;
  const [now] = await query<{ at: Date }>('select now() as at');
  const copy = (what: string): AsyncIterable<Buffer> =>
    client.query(copyTo(`copy ${what} to stdout`));
  const rooms = await readRooms(query);
  return {
    takenAt: (now?.at ?? new Date()).toISOString(),
    database: { rooms, tables: await readTables(query, Object.keys(rooms)) },
    rows: ({ schema, name, columns }) => copy(`${schema}.${name} (${columns.join(', ')})`),
    judges: async () =>
      'runlink' in rooms ? (await query<{ data: unknown }>(JUDGES)).map(({ data }) => data) : [],
    counters: () => readCounters(query),
    query,
  };
}

type RunQuery = Snapshot['query'];

async function readRooms(query: RunQuery): Promise<DatabaseOfBackup['rooms']> {
  const rooms: DatabaseOfBackup['rooms'] = {};
  for (const room of ROOMS) {
    const [found] = await query<{ is: boolean }>(
      `select to_regclass('${room}.migrations') is not null as is`,
    );
    if (!found?.is) continue;
    const [last] = await query<{ name: string | null }>(
      `select max(name) as name from ${room}.migrations`,
    );
    if (last?.name) rooms[room] = last.name;
  }
  if (Object.keys(rooms).length > 0) return rooms;
  throw new RunlinkError('no_service', 'There is no service in this database.', {
    hint: 'Check --data and --database-url: they must name what "runlink serve" was started with.',
  });
}

async function readTables(query: RunQuery, rooms: readonly string[]): Promise<TableOfBackup[]> {
  const inRooms = `in (${rooms.map((room) => `'${room}'`).join(', ')})`;
  const tables = await query<TableOfBackup & { id: string }>(`
    select c.oid::text as id, n.nspname as schema, quote_ident(c.relname) as name,
      array_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      and not a.attisdropped and a.attgenerated = ''
    where n.nspname ${inRooms} and c.relkind = 'r' and c.relname not like 'migrations%'
    group by c.oid, n.nspname, c.relname order by n.nspname, c.relname`);
  const references = await query<{ from: string; to: string }>(`
    select conrelid::text as from, confrelid::text as to from pg_constraint
    where contype = 'f' and conrelid <> confrelid`);
  const placed = new Set<string>();
  const place = (id: string): void => {
    if (placed.has(id)) return;
    for (const { from, to } of references) if (from === id) place(to);
    placed.add(id);
  };
  for (const { id } of tables) place(id);
  const order = [...placed];
  return tables
    .toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
    .map(({ schema, name, columns }) => ({ schema, name, columns }));
}

async function readCounters(query: RunQuery): Promise<Record<string, string>> {
  const rows = await query<{ name: string; value: string }>(`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
    from pg_sequences where schemaname in ('${ROOMS.join("', '")}') and last_value is not null`);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
