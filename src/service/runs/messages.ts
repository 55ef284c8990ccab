import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { isTerminal } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { readableBy } from '../keys/spaces.ts';
import type { Db, RunMessagesTable, Trx } from '../tables.ts';
import { once, readOnceKey } from './create/idempotency.ts';
import { findRun, isRunId, requireRun } from './find-run.ts';
import { changeRuns } from './life/change-runs.ts';
import { route } from './life/follow-up.ts';
import { lockRun, type LockedRun } from './life/lock-run.ts';

type Item = z.output<typeof endpoints.messages.list.answer>[number];

/**
 * POST /agent/messages: sends all messages or none. A run's agent gets the message as a follow-up;
 * a caller that executes the run itself reads it here.
 */
export async function sendMessage(
  context: ServiceContext,
  { caller, body, request }: Call<typeof endpoints.messages.send>,
): Promise<{ message_ids: string[] }> {
  const sender = await findRun(context.db, caller, body.sender_run_id);
  if (!sender) throw new ProblemError('resource_not_found', { field: 'sender_run_id' });
  const { subject, body: text } = body;
  const said = `Message from the run "${sender.title}" (${sender.id}): ${subject}\n\n${text}`;
  const to = [...new Set(body.to.map((id) => id.toLowerCase()))];
  const onceKey = readOnceKey(request, caller, 'message', body);
  const send = async (trx: Trx): Promise<{ message_ids: string[] }> => {
    const ids = new Map<string, string>();
    for (const run_id of to.toSorted()) {
      const run = await lockRecipient(trx, caller, run_id);
      const isHeard = run.execution_location !== 'LOCAL';
      if (isHeard) await route(context, trx, run, { text: said, mode: undefined, caller });
      const id = randomUUID();
      ids.set(run_id, id);
      const now = sql<Date>`now()`;
      const times = { sent_at: now, delivered_at: isHeard ? now : null, read_at: null };
      await trx
        .insertInto('run_messages')
        .values({
          id,
          run_id,
          sender_run_id: sender.id,
          subject,
          body: text,
          ...times,
        })
        .execute();
    }
    return { message_ids: to.flatMap((id) => ids.get(id) ?? []) };
  };
  return changeRuns(context, (trx) => once(trx, onceKey, null, () => send(trx)));
}

/** GET /agent/messages/{runId}. */
export async function listMessages(
  { db }: ServiceContext,
  { caller, params, query }: Call<typeof endpoints.messages.list>,
): Promise<Item[]> {
  const { id } = await requireRun(db, caller, params.runId);
  let rows = db.selectFrom('run_messages').where('run_id', '=', id).selectAll();
  if (query.unread) rows = rows.where('read_at', 'is', null);
  if (query.since !== undefined) rows = rows.where('sent_at', '>', new Date(query.since));
  return (await rows.orderBy('sent_at').orderBy('id').limit(query.limit).execute()).map(itemOf);
}

/** Records that a message was delivered, or also read; earlier times stay. */
async function note(
  db: Db,
  caller: TeamPrincipal,
  messageId: string,
  columns: readonly ('delivered_at' | 'read_at')[],
): Promise<RunMessagesTable> {
  const row = isRunId(messageId)
    ? await db
        .updateTable('run_messages')
        .set(
          Object.fromEntries(
            columns.map((name) => [name, sql<Date>`coalesce(${sql.ref(name)}, now())`]),
          ),
        )
        .where('id', '=', messageId)
        .where('run_id', 'in', (of) =>
          of.selectFrom('runs').where('team_id', 'in', readableBy(caller)).select('id'),
        )
        .returningAll()
        .executeTakeFirst()
    : undefined;
  if (!row) throw new ProblemError('resource_not_found');
  return row;
}

/** POST /agent/messages/{messageId}/read. */
export async function readMessage(
  { db }: ServiceContext,
  { caller, params }: Call<typeof endpoints.messages.read>,
): Promise<Item & { body: string }> {
  const row = await note(db, caller, params.messageId, ['delivered_at', 'read_at']);
  return { ...itemOf(row), body: row.body };
}

/** POST /agent/messages/{messageId}/delivered. */
export async function noteDelivered(
  { db }: ServiceContext,
  { caller, params }: Call<typeof endpoints.messages.delivered>,
): Promise<void> {
  await note(db, caller, params.messageId, ['delivered_at']);
}

function itemOf(row: RunMessagesTable): Item {
  return {
    message_id: row.id,
    sender_run_id: row.sender_run_id,
    subject: row.subject,
    sent_at: row.sent_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    read_at: row.read_at?.toISOString() ?? null,
  };
}

async function lockRecipient(trx: Trx, caller: TeamPrincipal, id: string): Promise<LockedRun> {
  const found = await findRun(trx, caller, id);
  const run = found && (await lockRun(trx, found.id));
  if (!run) throw new ProblemError('resource_not_found', { field: 'to' });
  if (isTerminal(run.state))
    throw new ProblemError('operation_not_supported', {
      title: 'A run that has ended takes no messages.',
      field: 'to',
      detail: `to: ${id} has ended (${run.state}); a follow-up starts it again`,
    });
  return run;
}
