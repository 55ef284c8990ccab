import { RunlinkError } from '../../../base/error.ts';
import type { RequestUsage } from '../../../contract/run.ts';
import { sleep } from '../../../base/time.ts';
import type { Lease } from '../../../contract/lease.ts';
import type { Prompt, Turn } from '../../agent/session.ts';
import { addUsage } from './add-usage.ts';
import { judgeTurn, type ModelFailure, type Outcome } from './outcome.ts';
import { remember, type Followup, type RunContext } from '../run-context.ts';
import { untilAnswered } from '../../lease/deliver.ts';
import { warnOfLack, type RunningAgent } from './start-agent.ts';

/**
 * Gives the agent its prompt and then each follow-up that has arrived, in order, until none is left
 * or a turn fails. If the run is stopped, throws the reason.
 */
export async function converse(
  run: RunContext,
  agent: RunningAgent,
  first: Prompt | undefined,
): Promise<Outcome> {
  let prompt = first ?? (await nextFollowup(run));
  let outcome: Outcome = { state: 'SUCCEEDED', message: run.file.turn_done?.message ?? 'Done.' };
  while (prompt) {
    const turn = await takeTurn(run, agent, withPrefix(prompt, agent)).catch(
      async (reason: unknown) => {
        await account(run, undefined, agent);
        throw reason;
      },
    );
    const interrupt = pendingInterrupt(run);
    run.interruptedBy = interrupt ?? run.interruptedBy;
    outcome =
      interrupt !== undefined && turn.end.kind === 'cancelled'
        ? INTERRUPTED
        : judgeTurn(turn, modelFailure(turn, agent));
    if (outcome.state === 'ERROR') outcome.message = agent.explain(outcome.message);
    await account(run, turn, agent);
    await run.events.emit([{ type: 'turn_end', stop_reason: stopReason(turn) }]);
    if (outcome.state !== 'SUCCEEDED' && outcome.state !== 'BLOCKED') return outcome;
    prompt = await nextFollowup(run);
  }
  if (outcome.state === 'SUCCEEDED')
    await remember(run, { turn_done: { attempt: run.lease.attempt, message: outcome.message } });
  return outcome;
}

/**
 * The model's failure as the proxy saw it, if it explains how the turn ended: an agent may recover
 * from a failed call.
 */
function modelFailure(turn: Turn, agent: RunningAgent): ModelFailure | undefined {
  const { end } = turn;
  const explains =
    end.kind === 'failed' ||
    turn.acts === 0 ||
    (end.kind === 'stopped' && agent.profile.hidesModelErrors);
  return explains ? agent.model?.failure : undefined;
}

/** Adds a turn's usage to the run's. A turn that was stopped used something, too. */
async function account(
  run: RunContext,
  turn: Turn | undefined,
  agent: RunningAgent,
): Promise<void> {
  const usage = usageOf(turn?.usage, agent);
  if (!usage) return;
  run.usage = addUsage(run.usage, usage) ?? usage;
  await run.events.emit([{ type: 'usage', usage: run.usage }]);
}

/**
 * Takes the proxy's count if there is one, because agents count differently or not at all. The cost
 * is the agent's figure.
 */
function usageOf(said: RequestUsage | undefined, agent: RunningAgent): RequestUsage | undefined {
  const counted = agent.model?.takeUsage();
  if (!counted) return said;
  const cost = said?.inference_cost_usd;
  return { ...counted, ...(cost === undefined ? {} : { inference_cost_usd: cost }) };
}

const INTERRUPTED: Outcome = {
  state: 'BLOCKED',
  message: 'The turn was stopped. Say how to go on.',
};

/** Id of the newest interrupt that has not stopped a turn yet. */
function pendingInterrupt({ followups, interruptedBy }: RunContext): number | undefined {
  return followups.findLast(({ id, interrupt }) => interrupt && id > interruptedBy)?.id;
}

/**
 * The oldest follow-up, marked as handled. Interrupts are skipped: they only concern a turn that
 * has ended.
 */
async function nextFollowup(run: RunContext): Promise<Prompt | undefined> {
  for (;;) {
    const followup = run.followups.shift();
    if (!followup) return undefined;
    const images = followup.has_attachments ? await imagesOf(run, followup) : [];
    run.file.handled_signal = Math.max(run.file.handled_signal, followup.id);
    if (!followup.interrupt) return { text: followup.message, images };
  }
}

async function imagesOf(run: RunContext, { followup_id: id }: Followup): Promise<Prompt['images']> {
  const { lease, lost, worker } = run;
  const { attachments } = await untilAnswered(lost.signal, () =>
    worker.client.worker.attachments(lease.run_id, id, { lease: lease.token, signal: lost.signal }),
  );
  return imagesFrom(attachments);
}

export function imagesFrom(attachments: Lease['attachments']): Prompt['images'] {
  return attachments.map(({ mime_type, data }) => ({ mimeType: mime_type, data }));
}

function withPrefix(prompt: Prompt, agent: RunningAgent): Prompt {
  const prefix = agent.promptPrefix;
  agent.promptPrefix = undefined;
  return prefix === undefined ? prompt : { ...prompt, text: `${prefix}\n\n${prompt.text}` };
}

async function takeTurn(run: RunContext, agent: RunningAgent, prompt: Prompt): Promise<Turn> {
  if (prompt.images.length > 0) await warnOfLack(run, agent, 'images');
  const { signal } = run.stop;
  signal.throwIfAborted();
  const turn = agent.session.prompt(prompt);
  run.stopTurn = () => void agent.session.cancel();
  if (pendingInterrupt(run) !== undefined) run.stopTurn();
  const stopped = new Promise<'stopped'>((resolve) => {
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  const ended = await Promise.race([turn, stopped]);
  run.stopTurn = undefined;
  if (ended !== 'stopped') return ended;
  if (!isLost(signal.reason)) {
    await agent.session.cancel();
    await Promise.race([turn, sleep(run.worker.limits.cancelGraceMs)]);
  }
  const failure = isModelGone(signal.reason) ? agent.model?.failure : undefined;
  if (!failure) throw signal.reason;
  return { ...NOTHING_DONE, end: { kind: 'failed', ...failure } };
}

const NOTHING_DONE = { acts: 0, finalMessage: '', question: undefined, usage: undefined };

/**
 * Whether the run was stopped because its model fails or the agent is silent: one agent retries a
 * failing model silently for ever, so then the model's failure is the reason to show (agents.md,
 * "Failing models").
 */
export function isModelGone(reason: unknown): boolean {
  return reason instanceof RunlinkError && ['limit_exceeded', 'model_failed'].includes(reason.code);
}

/** Another worker may have the run already, so the agent is not asked to stop first. */
function isLost(reason: unknown): boolean {
  return reason instanceof RunlinkError && reason.code === 'lease_lost';
}

function stopReason(turn: Turn): string {
  return turn.end.kind === 'stopped' ? turn.end.reason : turn.end.kind;
}
