import type { AuditAction, AuditEvent } from '../../contract/people.ts';
import { callerAddress } from '../http/caller-address.ts';
import type { Principal } from '../keys/principal.ts';
import type { Db } from '../tables.ts';

/** Who did something, as the audit log names them. */
export type AuditActor = AuditEvent['actor'];

export interface Deed {
  /** Null if it concerns the whole service. */
  teamId: string | null;
  action: AuditAction;
  object: AuditEvent['object'];
  details?: Record<string, string>;
}

/** Whoever can use the data directory and the command line. */
export const OPERATOR: AuditActor = { type: 'operator', uid: null, display_name: 'the operator' };
export const SERVICE: AuditActor = { type: 'service', uid: null, display_name: 'Runlink' };

const TYPES: Partial<Record<Principal['kind'], AuditActor['type']>> = {
  personal: 'person',
  workflow: 'workflow',
};

export function actorOf({
  kind,
  uid,
  profile,
}: Pick<Principal, 'kind' | 'uid' | 'profile'>): AuditActor {
  return { type: TYPES[kind] ?? 'agent', uid, display_name: profile.display_name ?? '' };
}

export function personActor(uid: string, display_name: string): AuditActor {
  return { type: 'person', uid, display_name };
}

/**
 * Runs an action and its audit entry in one transaction, so that neither exists without the other
 * (threats.md S22).
 */
export function together<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Adds a permanent entry to the audit log. It contains names and ids, never a secret. */
export async function recordAudit(trx: Db, actor: AuditActor, deed: Deed): Promise<void> {
  const { teamId, action, object, details = {} } = deed;
  await trx
    .insertInto('audit_events')
    .values({
      team_id: teamId,
      actor_type: actor.type,
      actor_uid: actor.uid,
      actor_name: actor.display_name,
      address: callerAddress(),
      action,
      object_type: object.type,
      object_id: object.id,
      object_name: object.name,
      details: JSON.stringify(details),
    })
    .execute();
}
