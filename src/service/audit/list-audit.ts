import type { z } from 'zod';
import type { AuditEvent, listAuditQuery } from '../../contract/people.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { readCursor, writeCursor } from '../runs/list/cursor.ts';

type Query = z.output<typeof listAuditQuery>;

/** Ties a cursor to this list. */
const SORT = { sortBy: 'audit', sortOrder: 'desc' };

/** A page of the audit log, newest first: the team's events and those that concern every team. */
export async function listAudit(
  { db, secrets }: Pick<ServiceContext, 'db' | 'secrets'>,
  { teamId }: TeamPrincipal,
  { limit, cursor, actor, action, object, after, before }: Query,
): Promise<{ events: AuditEvent[]; next_cursor: string | null }> {
  const from = cursor === undefined ? undefined : readCursor(secrets.cursor, cursor, SORT).id;
  const rows = await db
    .selectFrom('audit_events')
    .where((event) => event.or([event('team_id', '=', teamId), event('team_id', 'is', null)]))
    .$if(from !== undefined, (q) => q.where('id', '<', Number(from)))
    .$if(actor !== undefined, (q) => q.where('actor_uid', '=', actor ?? ''))
    .$if(action !== undefined, (q) => q.where('action', '=', action ?? 'sign_in.begun'))
    .$if(object !== undefined, (q) => q.where('object_id', '=', object ?? ''))
    .$if(after !== undefined, (q) => q.where('at', '>=', new Date(after ?? 0)))
    .$if(before !== undefined, (q) => q.where('at', '<', new Date(before ?? 0)))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    events: page.map((row) => ({
      id: String(row.id),
      at: row.at.toISOString(),
      actor: { type: row.actor_type, uid: row.actor_uid, display_name: row.actor_name },
      address: row.address,
      action: row.action,
      object: { type: row.object_type, id: row.object_id, name: row.object_name },
      details: row.details,
    })),
    next_cursor: last
      ? writeCursor(secrets.cursor, { ...SORT, value: null, id: String(last.id) })
      : null,
  };
}
