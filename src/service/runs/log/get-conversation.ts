import type { Conversation, ConversationStep } from '../../../contract/conversation.ts';
import { logEvent } from '../../../contract/entry.ts';
import { ProblemError } from '../../../contract/problem.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import { readableBy } from '../../keys/spaces.ts';
import type { Db } from '../../tables.ts';
import { toSteps, type LoggedEvent } from './conversation.ts';
import { isRunId, requireRun } from '../find-run.ts';
import { executionsInLog } from './execution-at.ts';

interface Told {
  id: string;
  prompt: string;
  created_at: Date;
}

/** GET …/conversation of one run. */
export async function getRunConversation(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<Conversation> {
  const run = await requireRun(db, caller, runId);
  return { conversation_id: run.conversation_id, steps: await stepsOf(db, run) };
}

/** GET /agent/conversations/{conversationId}: all its runs, oldest first. */
export async function getConversation(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  conversationId: string,
): Promise<Conversation> {
  const runs = isRunId(conversationId)
    ? await db
        .selectFrom('runs')
        .where('conversation_id', '=', conversationId)
        .where('team_id', 'in', readableBy(caller))
        .select(['id', 'prompt', 'created_at'])
        .orderBy('created_at')
        .execute()
    : [];
  if (runs.length === 0) throw new ProblemError('resource_not_found');
  const steps: ConversationStep[] = [];
  for (const run of runs) {
    const own = await stepsOf(db, run);
    steps.push(
      ...(runs.length === 1 ? own : own.map((step) => ({ ...step, id: `${run.id}:${step.id}` }))),
    );
  }
  return { conversation_id: conversationId.toLowerCase(), steps };
}

async function stepsOf(db: Db, run: Told): Promise<ConversationStep[]> {
  const executionAt = await executionsInLog(db, run.id);
  const rows = await db
    .selectFrom('run_events')
    .where('run_id', '=', run.id)
    .where('type', '<>', 'protocol')
    .select(['position', 'seq', 'type', 'at', 'data'])
    .orderBy('position')
    .execute();
  const events = rows.map(({ position, seq, type, at, data }): LoggedEvent => ({
    ...logEvent.parse({ ...data, type, at: at.toISOString(), ...(seq === null ? {} : { seq }) }),
    execution: executionAt(position).number,
  }));
  return toSteps({ prompt: run.prompt, createdAt: run.created_at.toISOString() }, events);
}
