import { sql, type Kysely } from 'kysely';
import type { ServiceTables } from '../tables.ts';
import { ITEM_COLUMNS } from './item-columns.ts';
import type { Filter } from './run-filters.ts';
import type { ItemRow } from './run-item.ts';

/** A run with the value it was sorted by, as text. */
export type ListedRow = ItemRow & { sort_value: string | null };

export interface Order {
  column: 'updated_at' | 'created_at' | 'title' | 'skill_spec' | 'id';
  direction: 'asc' | 'desc';
}

/** Reads along the sort's index until the page is full. */
function walk(db: Kysely<ServiceTables>, filters: readonly Filter[], order: Order, limit: number) {
  return db
    .selectFrom('runs as r')
    .where((where) => where.and([...filters]))
    .select(ITEM_COLUMNS)
    .select(sql<string | null>`${sql.ref(`r.${order.column}`)}::text`.as('sort_value'))
    .orderBy(`r.${order.column}`, order.direction)
    .$if(order.column !== 'id', (q) => q.orderBy('r.id', order.direction))
    .limit(limit)
    .execute();
}

/** Collects all matches, which are few, and sorts them. */
function gatherAndSort(
  db: Kysely<ServiceTables>,
  filters: readonly Filter[],
  order: Order,
  limit: number,
) {
  const direction = sql.raw(order.direction);
  return db
    .with(
      (cte) => cte('matching').materialized(),
      (q) =>
        q
          .selectFrom('runs as r')
          .where((where) => where.and([...filters]))
          .select(['r.id', sql`${sql.ref(`r.${order.column}`)}`.as('value')]),
    )
    .with('page', (q) =>
      q
        .selectFrom('matching')
        .select(['id', 'value'])
        .orderBy(sql`value ${direction}, id ${direction}`)
        .limit(limit),
    )
    .selectFrom('page as p')
    .innerJoin('runs as r', 'r.id', 'p.id')
    .select(ITEM_COLUMNS)
    .select(sql<string | null>`p.value::text`.as('sort_value'))
    .orderBy(sql`p.value ${direction}, p.id ${direction}`)
    .execute();
}

/** The first `limit` runs that fulfil all filters, in an order. */
export function readPage(
  db: Kysely<ServiceTables>,
  filters: readonly Filter[],
  order: Order,
  limit: number,
  gather: boolean,
): Promise<ListedRow[]> {
  return gather ? gatherAndSort(db, filters, order, limit) : walk(db, filters, order, limit);
}
