import { setOutput, warning } from '@actions/core';
import type { Face, Memory, Setup } from '../commands/face.ts';
import { findRunByRequest } from '../client/create-run-once.ts';
import { isClientError } from '../client/error.ts';
import { attemptId } from '../commands/start-run.ts';
import { sleep } from '../base/time.ts';
import { Interrupted } from './interrupted.ts';
import { info, quote } from './log.ts';
import { askForOutput } from './output-schema.ts';
import { reportOf, showRun } from './comment-and-check.ts';
import { leave } from './left-for-post-step.ts';
import { asksForReview, authorsOf, patienceMs, type Step } from './step-context.ts';

/**
 * How long to look for a run whose creation we stopped waiting for: the service may still be making
 * it.
 */
const SEEK_MS = 2000;
const SEEK_PAUSE_MS = 300;

/**
 * The Action as commands see it. It acts at once and remembers only what the post step may need.
 */
export function createActionFace(step: Step): Face {
  const { settings, client, signal, event, outbox } = step;
  return {
    event,
    service: client,
    github: step.github,
    phrase: settings.phrase,
    whenBusy: settings.whenBusy,
    help: { custom: [], note: '' },
    authors: authorsOf(step),
    login: () => step.identity.login(),
    setup: () => setupOf(step),
    patience: () => ({ signal, deadlineMs: patienceMs(step) }),
    within: (ms) => ({ signal, deadlineMs: Math.min(ms, patienceMs(step)) }),
    warn: (what, why) => warning(`${what}: ${why}`),
    put: outbox.put,
    show: async (runId) => {
      const run = await client.runs.get(runId, { signal, deadlineMs: patienceMs(step) });
      await showRun(step, { headSha: event.checks?.sha, mayExist: true }, run);
    },
    report: async (runId) => {
      const run = await client.runs.get(runId, { signal, deadlineMs: patienceMs(step) });
      const report = reportOf(step, run);
      return { ...report, requester: run.metadata?.['runlink.actor'] ?? report.requester };
    },
    remember: createMemory(step),
    triesAgain: (error) => error instanceof Interrupted || signal.aborted,
    rehearse: settings.dryRun ? (request) => quote(JSON.stringify(request, null, 2)) : undefined,
  };
}

function setupOf({ settings }: Step): Setup {
  const filled = (value: string): string | undefined => (value === '' ? undefined : value);
  const { name, config } = settings;
  return {
    rules: settings.gate,
    instruction: asksForReview(settings) ? '' : settings.instruction,
    template: settings.template,
    ...(settings.outputSchema && { closing: askForOutput(settings.outputSchema) }),
    title: filled(settings.title),
    environment: filled(settings.environment) ?? config.environment_id,
    model: filled(settings.model),
    skill: filled(settings.skill),
    agent: filled(settings.agent),
    onPullRequest: settings.onPullRequest,
    closesIssue: settings.closesIssue,
    config: { ...config, ...(name !== '' && { name }) },
    metadata: settings.metadata,
  };
}

/**
 * Keeps what the post step needs, even if this process is killed: the request sent and the runs it
 * led to.
 */
function createMemory(step: Step): Memory {
  const { signal } = step;
  const runIds = new Set<string>();
  const sent = new Map<string, string>();
  const keep = (runId: string, headSha: string | undefined): void => {
    runIds.add(runId);
    leave('run-id', [...runIds].join(' '));
    leave('request-id', '');
    setOutput('run-id', runId);
    if (headSha !== undefined) leave('head-sha', headSha);
  };
  return {
    once: async (asked, work) => {
      try {
        signal.throwIfAborted();
        return await work(undefined);
      } catch (error) {
        const stop: unknown = signal.aborted ? signal.reason : error;
        if (!(stop instanceof Interrupted)) throw error;
        // A request sent just before the stop may have started a run.
        const requestId = sent.get(asked.id);
        const runId = requestId && (await findStarted(step, requestId));
        if (runId) {
          keep(runId, undefined);
          return { reason: 'started', runId, isNew: true };
        }
        return { reason: stop.by === 'timeout' ? 'timed_out' : 'interrupted' };
      }
    },
    decide: async (asked, decided) => {
      const requestId = attemptId(asked);
      if ('start' in decided) sent.set(asked.id, requestId);
      leave('request-id', requestId);
      const isFresh = asked.origin.trigger === 'prompt' && asked.attempt === 1;
      return { decided, tried: !isFresh };
    },
    started: async (task, { runId, isNew }) => {
      keep(runId, task.pinned.head?.sha);
      info(isNew ? `Started run ${runId}.` : `Joined run ${runId}.`);
    },
    told: async (task, { run_id: runId }) => {
      keep(runId, task.pinned.head?.sha);
      info(`Sent the message to run ${runId}.`);
    },
    threadRun: async () => undefined,
    bodyOf: async () => undefined,
    repositoryOf: async (run) => run.metadata?.['runlink.repository'],
    isLimitReached: async () => false,
  };
}

/** Looks for the run of a creation whose answer we did not wait for. */
async function findStarted({ client }: Step, requestId: string): Promise<string | undefined> {
  const deadline = performance.now() + SEEK_MS;
  for (;;) {
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    try {
      const options = { retry: false, tryTimeoutMs: left, deadlineMs: left };
      const found = await findRunByRequest(client, { requestId }, options);
      if (found) return found.runId;
    } catch (error) {
      if (!isClientError(error)) throw error;
    }
    await sleep(SEEK_PAUSE_MS);
  }
}
