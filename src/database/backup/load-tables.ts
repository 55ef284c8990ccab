import { finished, pipeline } from 'node:stream/promises';
import type { Client, Pool } from 'pg';
import { from as copyFrom, type CopyStreamQuery } from 'pg-copy-streams';
import { ROOMS, type TableOfBackup } from './dump-tables.ts';

/** Fills the tables of a new database, in one transaction. */
export interface Loader {
  /** Adds rows to a table. All pieces of one table must come one after another. */
  rows(table: TableOfBackup, piece: AsyncIterable<Buffer>): Promise<void>;
  commit(): Promise<void>;
}

const nameOf = ({ schema, name }: TableOfBackup): string => `${schema}.${name}`;

/**
 * Opens a loader for these tables. Triggers are off, because what they did is in the rows already.
 */
export async function openLoader(
  client: Client,
  tables: readonly TableOfBackup[],
): Promise<Loader> {
  const each = async (words: string): Promise<void> => {
    for (const table of tables)
      await client.query(`alter table ${nameOf(table)} ${words} trigger user`);
  };
  await client.query('begin');
  // The audit log's trigger would refuse the truncate.
  await each('disable');
  if (tables.length > 0) await client.query(`truncate ${tables.map(nameOf).join(', ')}`);
  let open: { table: string; into: CopyStreamQuery } | undefined;
  const end = async (): Promise<void> => {
    if (open) await finished(open.into.end());
    open = undefined;
  };
  return {
    async rows(table, piece) {
      const { columns } = table;
      if (open?.table !== nameOf(table)) {
        await end();
        const copy = `copy ${nameOf(table)} (${columns.join(', ')}) from stdin`;
        open = { table: nameOf(table), into: client.query(copyFrom(copy)) };
      }
      await pipeline(piece, open.into, { end: false });
    },
    async commit() {
      await end();
      await each('enable');
      await client.query('commit');
    },
  };
}

/** Which of our schemas exist in a database. */
export async function roomsIn(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname = any($1)`,
    [[...ROOMS, 'runlink_jobs']],
  );
  return rows.map(({ name }) => name);
}
