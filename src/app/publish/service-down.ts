import type { Kysely } from 'kysely';
import { z } from 'zod';
import { readFact, writeFact } from '../store/replica.ts';

const FACT = 'service_down_since';
const since = z.iso.datetime();

/** Since when the run service has not answered; undefined while it does. */
export async function serviceDownSince(db: Kysely<unknown>): Promise<Date | undefined> {
  const stored = since.safeParse(await readFact(db, FACT));
  return stored.success ? new Date(stored.data) : undefined;
}

export async function storeServiceDown(db: Kysely<unknown>, at: Date | undefined): Promise<void> {
  await writeFact(db, FACT, at?.toISOString() ?? null);
}
