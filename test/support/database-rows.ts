import type { TestService } from './service.ts';

/**
 * Every row of the database that holds the text, with its table, bytes as hex; all rows without
 * one.
 */
export async function rowsWith({ service }: TestService, text = ''): Promise<string[]> {
  const { pool } = service.context.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname like 'runlink%' order by 1`,
  );
  const found = tables.map(async ({ name }) => {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from ${name} t where strpos(t::text, $1) > 0 order by 1`,
      [text],
    );
    return rows.map(({ row }) => `${name} ${row}`);
  });
  return (await Promise.all(found)).flat();
}
