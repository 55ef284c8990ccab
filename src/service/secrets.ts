import { randomBytes } from 'node:crypto';
import type { Db } from './tables.ts';

const SECRET_BYTES = 32;

/** The service's own signing keys, the same on every node and after every restart. */
export interface Secrets {
  /** Signs page cursors. */
  cursor: string;
  /** Signs download links. */
  download: string;
  /** Derives the runs' own keys. */
  runKey: string;
}

/** Loads the secrets; the first node that starts creates them. */
export async function loadSecrets(db: Db): Promise<Secrets> {
  return {
    cursor: await ensureSecret(db, 'cursor'),
    download: await ensureSecret(db, 'download'),
    runKey: await ensureSecret(db, 'run-key'),
  };
}

async function ensureSecret(db: Db, name: string): Promise<string> {
  await db
    .insertInto('service_secrets')
    .values({ name, value: randomBytes(SECRET_BYTES).toString('base64url') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await db
    .selectFrom('service_secrets')
    .where('name', '=', name)
    .select('value')
    .executeTakeFirstOrThrow();
  return value;
}
