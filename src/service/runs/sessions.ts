import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { readableBy } from '../keys/spaces.ts';
import type { Db } from '../tables.ts';
import { isRunId, requireRun } from './find-run.ts';
import { followUp } from './life/follow-up.ts';
import { listAttachments } from './attachments.ts';

type HandedOver = z.output<typeof endpoints.runs.handoffAttachments.answer>;

/** The latest run of a conversation; its session has the same id. */
export async function latestRunOf(
  db: Db,
  caller: TeamPrincipal,
  conversationId: string,
): Promise<string> {
  const run = isRunId(conversationId)
    ? await db
        .selectFrom('runs')
        .where('conversation_id', '=', conversationId)
        .where('team_id', 'in', readableBy(caller))
        .select('id')
        .orderBy('created_at', 'desc')
        .executeTakeFirst()
    : undefined;
  if (!run) throw new ProblemError('resource_not_found');
  return run.id;
}

/** GET …/sessions/{sessionId}/redirect: the session's conversation. */
export async function conversationOf(
  db: Db,
  caller: TeamPrincipal,
  sessionId: string,
): Promise<{ conversation_id: string }> {
  const { conversation_id } = await requireRun(db, caller, sessionId);
  return { conversation_id };
}

/** POST …/conversations/{conversationId}/followups: to the conversation's latest run. */
export async function followUpConversation(
  context: ServiceContext,
  call: Call<typeof endpoints.conversations.followup>,
) {
  const runId = await latestRunOf(context.db, call.caller, call.params.conversationId);
  return { ...(await followUp(context, { ...call, params: { runId } })), run_id: runId };
}

/** GET …/handoff/attachments: what the agent gets with the prompt. */
export async function handedOver(
  context: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<HandedOver> {
  const { attachments } = await listAttachments(context, caller, runId);
  return {
    attachments: attachments.map(({ file_name, mime_type, data }, index) => ({
      attachment_id: `${runId.toLowerCase()}-${index + 1}`,
      filename: file_name,
      mime_type,
      download_url: `data:${mime_type};base64,${data}`,
    })),
  };
}
