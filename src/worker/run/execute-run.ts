import { RunlinkError, errorMessage } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';
import { isTerminal, type TerminalState } from '../../contract/run-state.ts';
import type { Prompt } from '../agent/session.ts';
import { diskFree } from '../disk-use.ts';
import { isLeaseLost, untilAnswered } from '../lease/deliver.ts';
import { isDemo, resolveProfile } from '../profile/resolve.ts';
import { viewForAgent, assertMayRun } from './agent/agent-view.ts';
import { converse, imagesFrom, isModelGone } from './agent/converse.ts';
import { thrownOutcome, type Outcome } from './agent/outcome.ts';
import { startAgent, type RunningAgent } from './agent/start-agent.ts';
import { HOW } from './agent/system-prompt.ts';
import { closeRun } from './close-run.ts';
import { openRun, takeSignals, type Opening } from './open-run.ts';
import { prepareImage } from './prepare/prepare-image.ts';
import { prepareWorkspace } from './prepare/prepare-workspace.ts';
import { openWayOut } from './prepare/open-egress.ts';
import { collect } from './result/collect-result.ts';
import { publish, reportChanges } from './result/publish-run.ts';
import { uploadArtifacts } from './result/upload-artifacts.ts';
import {
  clonesOf,
  remember,
  warn,
  workTreesOf,
  type RunContext,
  type WorkerContext,
} from './run-context.ts';
import { makeDirectories } from './run-directories.ts';
import { watchLimits } from './watch-limits.ts';

/** With less free room than this, a disk counts as full. */
const FULL_BYTES = 1024 * 1024;
/** How long a stopping worker tries to deliver its last log entries. */
const LAST_WORDS_MS = 2000;

/**
 * Carries out one execution of a run from lease to end. Once the run is open this never rejects:
 * failures are reported to the service, or to the log if the lease is lost. Returns the run's end
 * state as the service accepted it; undefined if the run was left for later or belongs to another
 * worker by now.
 */
export async function executeRun(
  worker: WorkerContext,
  opening: Opening,
  opened: (run: RunContext) => void,
): Promise<TerminalState | undefined> {
  const run = await openRun(worker, opening);
  opened(run);
  let ended: TerminalState | undefined;
  try {
    await acknowledge(run);
    ended = await carryOut(run);
  } catch (error) {
    await giveUp(run, error);
  }
  worker.heartbeats.drop(run.lease.run_id);
  run.lost.abort(new RunlinkError('run_closed', 'The run is closed.'));
  const left = await worker.sandbox.endRun(run.file.process_marker);
  if (left > 0) run.log.error({ left }, 'processes of the run could not be ended');
  if (isStopping(run.stop.signal.reason)) return ended;
  await closeRun(run).catch((error: unknown) => {
    run.log.error({ err: errorMessage(error) }, 'run could not be closed');
  });
  return ended;
}

/**
 * Reports that work begins. After a restart it is reported again, because the killed worker may not
 * have got that far.
 */
async function acknowledge(run: RunContext): Promise<void> {
  const { lease, worker } = run;
  await worker.client.worker.acknowledge(lease.run_id, {
    lease: lease.token,
    signal: run.stop.signal,
    deadlineMs: 10_000,
  });
}

/** Works and completes, and does so again as long as follow-ups arrived in the meantime. */
async function carryOut(run: RunContext): Promise<TerminalState> {
  for (let round = 0; ; round += 1) {
    const outcome = await work(run, round === 0);
    const answer = await complete(run, outcome);
    run.log.info({ state: outcome.state, code: outcome.error_code }, 'run completed');
    if (answer.ended) return isTerminal(answer.state) ? answer.state : outcome.state;
    takeSignals(run, answer.signals);
  }
}

async function work(run: RunContext, first: boolean): Promise<Outcome> {
  try {
    const outcome = await letAgentWork(run, first);
    return await takeResult(run, outcome);
  } catch (error) {
    const reason: unknown = run.stop.signal.aborted ? run.stop.signal.reason : error;
    const code = reason instanceof RunlinkError ? reason.code : '';
    if (code === 'lease_lost' || code === 'worker_stopping') throw reason;
    run.log.warn({ err: errorMessage(reason), code }, 'run stopped');
    if (code === 'run_cancelled') return { state: 'CANCELLED', message: 'The run was cancelled.' };
    return thrownOutcome(reason, await isFull(run));
  }
}

/** Not every program says that the disk is full: git only says that it could not write a lock. */
async function isFull({ stop, worker }: RunContext): Promise<boolean> {
  return !stop.signal.aborted && (await diskFree(worker.runs).catch(() => Infinity)) < FULL_BYTES;
}

/**
 * Collects the result once no process of the run is left. If the run failed anyway, a failure to
 * collect is only a warning.
 */
async function takeResult(run: RunContext, outcome: Outcome): Promise<Outcome> {
  // The run was stopped for this very reason, and the outcome says so already.
  if (outcome.state !== 'SUCCEEDED' && isModelGone(run.stop.signal.reason)) return outcome;
  try {
    await run.worker.sandbox.endRun(run.file.process_marker);
    const works = await collect(run, true, async ({ works: found, reader }) => {
      await reportChanges(run, found);
      await uploadArtifacts(run, reader);
      return found;
    });
    if (outcome.state === 'SUCCEEDED') await publish(run, works, outcome.message);
  } catch (error) {
    run.stop.signal.throwIfAborted();
    if (outcome.state === 'SUCCEEDED') throw error;
    await warn(run, errorMessage(error));
  }
  return outcome;
}

async function letAgentWork(run: RunContext, first: boolean): Promise<Outcome> {
  const done = run.file.turn_done?.attempt === run.lease.attempt ? run.file.turn_done : undefined;
  if (done && run.followups.length === 0) return { state: 'SUCCEEDED', message: done.message };
  const resolved = resolveProfile(run.lease.config, run.worker.options);
  assertMayRun(run, resolved);
  await remember(run, { only_demo: run.file.only_demo && isDemo(resolved) });
  const directories = await makeDirectories(run, workTreesOf(run));
  const view = viewForAgent(resolved, run.worker.options, run.worker.sandbox);
  const closeEgress = await openWayOut(run);
  const isOneByOne = run.worker.sandbox.name === 'sidecar';
  const image = prepareImage(run);
  const allowed = Promise.withResolvers<void>();
  const agentMayStart = (): void => allowed.resolve();
  const workspace = prepareWorkspace(run, { ...directories, agentMayStart, view, image });
  const limits = watchLimits(run, workspace);
  // A pod starts one program at a time, so set-up commands come before the agent.
  const held = isOneByOne ? workspace : Promise.race([allowed.promise, workspace]);
  // startAgent waits for both and throws their failures.
  for (const each of [workspace, held]) each.catch(() => undefined);
  let agent: RunningAgent | undefined;
  try {
    await image;
    agent = await startAgent(run, {
      resolved,
      view,
      workspace,
      held,
      alive: () => limits.alive(),
    });
    return await converse(run, agent, first && !done ? firstPrompt(run, agent) : undefined);
  } finally {
    limits.stop();
    await agent?.destroy();
    await workspace.catch(() => undefined);
    await closeEgress();
    run.events.endTexts();
  }
}

/** The first prompt, with what the agent must know if it does not start from scratch. */
function firstPrompt(run: RunContext, agent: RunningAgent): Prompt {
  const { lease } = run;
  const images = imagesFrom(lease.attachments);
  const interrupted = run.adopted && run.file.agent_started === lease.attempt;
  const summary = agent.session.resumed ? undefined : lease.resume?.summary;
  const parts = [
    interrupted
      ? 'You were interrupted by a restart of the machine. Look at what is done already, and finish it.'
      : undefined,
    summary && `What happened in this conversation so far:\n\n${summary}`,
    agent.session.resumed ? HOW[lease.mode] : undefined,
    lease.prompt,
  ];
  return { text: parts.filter(Boolean).join('\n\n'), images };
}

async function complete(run: RunContext, outcome: Outcome) {
  const { lease, worker, file } = run;
  await run.events.flush();
  const [clone] = clonesOf(run);
  return await untilAnswered(run.lost.signal, () =>
    worker.client.worker.complete(
      lease.run_id,
      {
        ...outcome,
        message: run.mask(outcome.message).replaceAll('\0', '').toWellFormed().slice(0, 65_536),
        last_signal: Math.max(file.handled_signal, run.cancelSignal),
        ...(run.usage ? { usage: run.maskAll(run.usage) } : {}),
        ...(file.session_id === undefined ? {} : { session_id: run.mask(file.session_id) }),
        ...(clone ? { branch: clone.branch } : {}),
        ...(file.pull_request_url === undefined ? {} : { pull_request_url: file.pull_request_url }),
      },
      { lease: lease.token, signal: run.lost.signal },
    ),
  );
}

/**
 * Gives up a run because the lease is lost or this worker stops. Whoever continues it finds what to
 * do in the run's file.
 */
async function giveUp(run: RunContext, error: unknown): Promise<void> {
  const stopping = isStopping(error);
  run.log.warn({ err: errorMessage(error) }, stopping ? 'run left for a restart' : 'run dropped');
  if (stopping)
    await Promise.race([run.events.flush().catch(() => undefined), sleep(LAST_WORDS_MS)]);
  else if (!isLeaseLost(error)) run.log.error({ err: error }, 'run failed inside the worker');
}

function isStopping(reason: unknown): boolean {
  return reason instanceof RunlinkError && reason.code === 'worker_stopping';
}
