import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { recordAudit, together, type AuditActor } from '../audit/record-audit.ts';
import type { ApiKeysTable, Db } from '../tables.ts';
import { createKeyText, endsOf, hashSecret } from './key-text.ts';

export type NewKey = Pick<Insertable<ApiKeysTable>, 'kind' | 'name' | 'team_id'> &
  Partial<Pick<Insertable<ApiKeysTable>, 'user_id' | 'agent_uid' | 'run_id' | 'expires_at'>>;

/** A new key; its text is available only here. */
export interface CreatedKey {
  id: string;
  key: string;
}

/** Creates a key; only its hash is stored. */
export async function createKey(
  db: Db,
  by: AuditActor,
  key: NewKey,
  textOf: (id: string) => string = createKeyText,
): Promise<CreatedKey> {
  const id = randomUUID();
  const raw = textOf(id);
  await together(db, async (trx) => {
    await trx
      .insertInto('api_keys')
      .values({ ...key, ...endsOf(raw), id, hash: hashSecret(raw), created_at: new Date() })
      .execute();
    await recordAudit(trx, by, {
      teamId: key.team_id ?? null,
      action: 'key.created',
      object: { type: 'key', id, name: key.name },
      details: { kind: key.kind },
    });
  });
  return { id, key: raw };
}
