import { sql } from 'kysely';
import type { SignIn } from '../../contract/people.ts';
import type { Db } from '../tables.ts';
import { personActor, recordAudit } from './record-audit.ts';

/**
 * Limits the entries, so that somebody who guesses keys cannot fill a log that is never shortened.
 */
const NOTED_A_MINUTE = 30;

/** Records a refused sign-in; `login` is the account's name on GitHub. */
export async function noteRefusedSignIn(db: Db, via: SignIn['via'], login?: string): Promise<void> {
  const earlier = await db
    .selectFrom('audit_events')
    .where('team_id', 'is', null)
    .where('action', '=', 'sign_in.refused')
    .orderBy('id', 'desc')
    .offset(NOTED_A_MINUTE - 1)
    .limit(1)
    .select(sql<boolean>`at > now() - interval '1 minute'`.as('isLately'))
    .executeTakeFirst();
  if (earlier?.isLately) return;
  const name = login === undefined ? 'somebody' : `@${login}`;
  await recordAudit(
    db,
    { ...personActor('', name), uid: null },
    {
      teamId: null,
      action: 'sign_in.refused',
      object: { type: 'sign_in', id: null, name },
      details: { via },
    },
  );
}
