import { z } from 'zod';
import { readFact, writeFact } from '../store/replica.ts';
import type { AppDb } from '../store/tables.ts';

const FACT = 'service_down_since';
const since = z.iso.datetime();

/** Since when the run service has not answered; undefined while it does. */
export async function serviceDownSince(db: AppDb): Promise<Date | undefined> {
  const stored = since.safeParse(await readFact(db, FACT));
  return stored.success ? new Date(stored.data) : undefined;
}

export async function storeServiceDown(db: AppDb, at: Date | undefined): Promise<void> {
  await writeFact(db, FACT, at?.toISOString() ?? null);
}
