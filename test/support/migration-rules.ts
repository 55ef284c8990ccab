import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Migration } from 'kysely/migration';

/** The statements that a migration makes of an empty database. */
export async function statementsOf(migration: Migration): Promise<string[]> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  });
  await migration.up(db);
  return statements;
}

/** What takes something away from a release that still runs on the schema before. */
const NARROWING: [RegExp, string][] = [
  [/\bdrop\s+(?!if\b)/, 'drops something'],
  [/\brename\b/, 'renames something'],
  [/(?<!\bor )\btruncate\b|\bdelete\s+from\b/, 'deletes rows'],
  [/\balter\s+(column\s+)?"?\w+"?\s+(set\s+data\s+)?type\b/, 'changes the type of a column'],
  [/\bset\s+not\s+null\b/, 'forbids null'],
  [/\balter\s+type\b|\balter\s+domain\b/, 'changes a type'],
];
const WITHOUT_BODIES = /\$(\w*)\$.*?\$\1\$/gs;
const NEW_COLUMN = /\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+([^,]*)/g;
const CONSTRAINTS = new Set(['constraint', 'unique', 'check', 'exclude', 'primary']);

function faultsOfAlter(statement: string): string[] {
  return [...statement.matchAll(NEW_COLUMN)].flatMap(([, name = '', rest = '']) => {
    if (CONSTRAINTS.has(name)) return ['forbids rows that were allowed'];
    const isMandatory = /\bnot\s+null\b/.test(rest) && !/\bdefault\b|\bgenerated\b/.test(rest);
    return isMandatory ? [`adds the mandatory column ${name}`] : [];
  });
}

/**
 * Why these statements may not run beside an older release (CONTRIBUTING.md); empty when they may.
 */
export function narrowing(statements: readonly string[]): string[] {
  const plain = statements.map((text) => text.toLowerCase().replaceAll(WITHOUT_BODIES, "''"));
  const made = plain.flatMap(
    (text) => /\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?([\w."]+)/.exec(text)?.[1] ?? [],
  );
  const isNew = (table: string | undefined): boolean => made.includes(table ?? '');
  return plain.flatMap((text) => {
    const faults = NARROWING.flatMap(([found, fault]) => (found.test(text) ? [fault] : []));
    const altered = /\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?([\w."]+)/.exec(text)?.[1];
    if (altered !== undefined && !isNew(altered)) faults.push(...faultsOfAlter(text));
    const [, unique, concurrently, table] =
      /\bcreate\s+(unique\s+)?index\s+(concurrently\s+)?.*?\bon\s+(?:only\s+)?([\w."]+)/s.exec(
        text,
      ) ?? [];
    if (table !== undefined && !isNew(table)) {
      if (unique) faults.push('forbids rows that were allowed');
      if (!concurrently) faults.push('keeps writers out while it makes an index');
    }
    return faults.map((fault) => `${fault}: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 120)}`);
  });
}
