import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../../contract/endpoints.ts';
import { invalidField, ProblemError } from '../../../contract/problem.ts';
import {
  isTerminal,
  PROMPT_MAX,
  type followupRequest,
  type followupResponse,
} from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';
import type { Call } from '../../http/call.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import type { Trx } from '../../tables.ts';
import { announce } from '../../waiting/changes.ts';
import { takeAttachments } from '../attachments.ts';
import { requireRun } from '../find-run.ts';
import { once, readOnceKey } from '../create/idempotency.ts';
import { changeRuns } from './change-runs.ts';
import { lockRun, type LockedRun } from './lock-run.ts';
import { reopen } from './reopen.ts';
import { searchTextOf } from '../create/search-text.ts';
import { CHANGED_AT, MOMENT, appendToLog } from '../log/append.ts';

type Body = z.output<typeof followupRequest>;
type Outcome = z.output<typeof followupResponse>;
type Mode = 'normal' | 'plan' | 'orchestrate';

/** The message to an agent that should continue, if nobody says with what. */
export const CONTINUE = 'Please continue.';
const LOOK = 'Please look at what is attached.';
/** Most images in a prompt, including those of follow-ups that extend it. */
const PROMPT_ATTACHMENTS_MAX = 25;

interface Message {
  text: string;
  mode: Mode | undefined;
  caller: TeamPrincipal;
  /** Set if it only stops the turn; its text is not given to the agent. */
  interrupt?: boolean;
  attachments?: Body['attachments'];
}

/** Stores the message as the run's next signal and adds it to the run's log. */
export async function storeSignal(
  trx: Trx,
  run: LockedRun,
  { text, mode = 'normal', caller, interrupt, attachments = [] }: Message,
): Promise<string> {
  const id = randomUUID();
  await takeAttachments(trx, { runId: run.id, followupId: id }, attachments);
  const signal = run.last_signal + 1;
  const { profile: creator } = caller;
  await trx
    .insertInto('run_followups')
    .values({
      id,
      run_id: run.id,
      signal,
      message: text,
      mode,
      ...(interrupt ? { interrupt } : {}),
      creator: JSON.stringify(creator),
      created_at: sql`now()`,
    })
    .execute();
  await appendToLog(trx, run.id, {
    events: [
      interrupt
        ? {
            type: 'lifecycle',
            data: { event_type: 'oz_run_interrupted', payload: { by: creator } },
          }
        : { type: 'followup', data: { followup_id: id, message: text, mode, creator } },
    ],
    set: { last_signal: signal, updated_at: MOMENT },
    announce: [`run:${run.id}`, `team:${run.team_id}`, `log:${run.id}`, `signal:${run.id}`],
  });
  return id;
}

/** Delivers a message in the way that fits the run's state (run-lifecycle.md, "Follow-ups"). */
export async function route(
  context: ServiceContext,
  trx: Trx,
  run: LockedRun,
  message: Message,
): Promise<Outcome> {
  if (run.state === 'QUEUED' && run.reopened === 0) return extendPrompt(trx, run, message);
  // Reopen first: in the log, the next execution begins before the message.
  if (isTerminal(run.state)) {
    // An answer to a question keeps the mode; anything else starts in the normal one.
    const { mode = run.state === 'BLOCKED' ? undefined : 'normal' } = message;
    await reopen(context, trx, run, mode ? { mode } : {});
    return { followup_id: await storeSignal(trx, run, message), outcome: 'handoff_execution' };
  }
  const id = await storeSignal(trx, run, message);
  if (run.state === 'QUEUED' && message.mode)
    await trx.updateTable('runs').set({ mode: message.mode }).where('id', '=', run.id).execute();
  return run.state === 'QUEUED'
    ? { followup_id: null, outcome: 'queued_prompt' }
    : { followup_id: id, outcome: 'queue_pending' };
}

/**
 * An ended run may be continued without a message (interface.md 4.2); then the agent gets a default
 * one.
 */
function messageOf({ message, attachments = [] }: Body, { state, attempt }: LockedRun): string {
  if (message?.trim()) return message;
  if (attachments.length > 0) return LOOK;
  if (isTerminal(state) && attempt > 0) return CONTINUE;
  throw invalidField('message', 'must not be empty unless there is a conversation to continue');
}

/** POST /agent/runs/{runId}/followups. */
export async function followUp(
  context: ServiceContext,
  { params, body, caller, request }: Call<typeof endpoints.runs.followup>,
): Promise<Outcome> {
  const { id } = await requireRun(context.db, caller, params.runId);
  const onceKey = readOnceKey(request, caller, `followup:${id}`, body);
  return changeRuns(context, (trx) =>
    once(trx, onceKey, id, async () => {
      const run = await lockRun(trx, id);
      if (!run) throw new ProblemError('resource_not_found');
      if (run.execution_location === 'LOCAL')
        throw new ProblemError('operation_not_supported', {
          title: 'This run is executed by whoever started it, so it takes no follow-ups.',
        });
      const { mode, attachments } = body;
      return route(context, trx, run, { text: messageOf(body, run), mode, caller, attachments });
    }),
  );
}

/** Adds the message to the prompt of a run that has not started yet. */
async function extendPrompt(
  trx: Trx,
  run: LockedRun,
  { text, mode, attachments: named = [] }: Message,
): Promise<Outcome> {
  const { prompt, title, skill_spec, attachments } = await trx
    .selectFrom('runs')
    .where('id', '=', run.id)
    .select(['prompt', 'title', 'skill_spec', 'attachments'])
    .executeTakeFirstOrThrow();
  const longer = prompt === '' ? text : `${prompt}\n\n${text}`;
  if (longer.length > PROMPT_MAX)
    throw invalidField('message', `the prompt would be longer than ${PROMPT_MAX} characters`);
  if (attachments.length + named.length > PROMPT_ATTACHMENTS_MAX)
    throw invalidField('attachments', `the prompt would have more than ${PROMPT_ATTACHMENTS_MAX}`);
  const followupId = randomUUID();
  const taken = await takeAttachments(trx, { runId: run.id, followupId }, named);
  await trx.deleteFrom('run_attachments').where('followup_id', '=', followupId).execute();
  await trx
    .updateTable('runs')
    .set({
      prompt: longer,
      ...(taken.length > 0 ? { attachments: JSON.stringify([...attachments, ...taken]) } : {}),
      updated_at: CHANGED_AT,
      ...(mode ? { mode } : {}),
    })
    .where('id', '=', run.id)
    .execute();
  await trx
    .updateTable('run_texts')
    .set({ body: searchTextOf({ title, prompt: longer, skillSpec: skill_spec }) })
    .where('run_id', '=', run.id)
    .execute();
  await announce(trx, [`run:${run.id}`, `team:${run.team_id}`]);
  return { followup_id: null, outcome: 'queued_prompt' };
}
