import { sql } from 'kysely';
import type { Signal } from '../../contract/lease.ts';
import type { LockedRun } from '../runs/life/lock-run.ts';
import { attachmentsOf } from '../runs/attachments.ts';
import type { Attachment, Db, Trx } from '../tables.ts';

/** What an execution that follow-ups started is told first. */
export interface Starting {
  messages: string[];
  attachments: Attachment[];
}

/**
 * The messages that an execution starts with, in order: the follow-ups that were unhandled when it
 * was claimed. A run's first execution starts with its prompt and gets follow-ups as signals.
 */
export async function startingMessages(
  db: Db,
  run: { id: string; reopened: number; attempt: number; claim_signal: number },
): Promise<Starting> {
  if (run.reopened === 0) return { messages: [], attachments: [] };
  const rows = await db
    .selectFrom('run_followups')
    .where('run_id', '=', run.id)
    .where('taken_attempt', '=', run.attempt)
    .where('signal', '<=', run.claim_signal)
    .where('interrupt', 'is', null)
    .select(['id', 'message'])
    .orderBy('signal')
    .execute();
  const ids = rows.map(({ id }) => id);
  return {
    messages: rows.map(({ message }) => message),
    attachments: await attachmentsOf(db, ids),
  };
}

/** Makes the follow-ups of an execution that never began unhandled again. */
export async function returnFollowups(
  trx: Trx,
  run: Pick<LockedRun, 'id' | 'attempt'>,
): Promise<void> {
  await trx
    .updateTable('run_followups')
    .set({ taken_attempt: null })
    .where('run_id', '=', run.id)
    .where('taken_attempt', '=', run.attempt)
    .execute();
}

/** Records that an execution has handled every follow-up up to this signal. */
export async function settleFollowups(
  trx: Trx,
  run: Pick<LockedRun, 'id' | 'attempt'>,
  lastSignal: number,
): Promise<void> {
  await trx
    .updateTable('run_followups')
    .set({ taken_attempt: run.attempt })
    .where('run_id', '=', run.id)
    .where('taken_attempt', 'is', null)
    .where('signal', '<=', lastSignal)
    .execute();
}

const HAS_ATTACHMENTS = sql<boolean>`exists (select from run_attachments a
  where a.run_id = run_followups.run_id and a.followup_id = run_followups.id)`.as(
  'has_attachments',
);

/** Follow-ups after a signal that no execution has handled yet, in the form for the worker. */
export async function pendingSignals(
  db: Db,
  runId: string,
  afterSignal: number,
): Promise<Signal[]> {
  const rows = await db
    .selectFrom('run_followups')
    .where('run_id', '=', runId)
    .where('signal', '>', afterSignal)
    .where('taken_attempt', 'is', null)
    .select(['id', 'signal', 'message', 'mode', 'interrupt', HAS_ATTACHMENTS])
    .orderBy('signal')
    .execute();
  return rows.map((row) => ({
    id: row.signal,
    type: 'followup' as const,
    followup_id: row.id,
    message: row.message,
    mode: row.mode,
    ...(row.interrupt ? { interrupt: true } : {}),
    ...(row.has_attachments ? { has_attachments: true } : {}),
  }));
}
