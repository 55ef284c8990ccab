import { isTerminal, type RunRead } from '../contract/run.ts';
import { isProblem } from '../client/error.ts';
import { threadName, sameName } from '../github/read/event.ts';
import { finalMessage } from '../github/render/final-message.ts';
import { findPullRequests, type ReportedPullRequest } from '../github/read/pull-requests.ts';
import { reply } from '../github/write/reply.ts';
import {
  deservesMention,
  endingReaction,
  mentionMarker,
  renderMention,
  type Report,
} from '../github/render/report.ts';
import { findComments, type Author } from '../github/write/upsert.ts';
import { bestEffort, type Act } from './act.ts';
import { endOfRun, type Outcome } from './outcome.ts';
import type { Publisher } from './publisher.ts';

/** What a report shows of a run at this moment, before anything else is known of it. */
export function reportOf(act: Pick<Act, 'event' | 'settings'>, run: RunRead): Report {
  const { event, settings } = act;
  return {
    run,
    thread: event.thread && threadName(event.repository, event.thread),
    requester: event.actor?.login,
    pullRequests: [],
    finalMessage: undefined,
    unwatched: false,
    notes: [],
    phrase: settings.phrase,
    now: new Date(),
  };
}

type Finish = Omit<Act, 'surroundings' | 'deadline'>;

/**
 * The end of a run on GitHub: the agent's words and its pull requests are read, the pull requests are
 * reported back to the run, and comment, check, reaction and mention say how it ended.
 */
export async function finishRun(
  act: Finish,
  run: RunRead,
  publisher: Publisher,
  options: { notes?: readonly string[]; again?: boolean } = {},
): Promise<Outcome> {
  const [words, pullRequests] = await Promise.all([
    isTerminal(run.state) ? lastWords(act, run.run_id) : undefined,
    bestEffort(act, 'The pull requests could not be looked up', async () =>
      findPullRequests(act.github, run, {
        repository: act.event.repository,
        authors: async () => [await act.identity.login(), ...act.settings.gate.allowedBots],
      }),
    ),
  ]);
  const report: Report = {
    ...reportOf(act, run),
    pullRequests: pullRequests ?? [],
    finalMessage: words,
    unwatched: !isTerminal(run.state),
    notes: options.notes ?? [],
  };
  publisher.show(report);
  await Promise.all([
    publisher.settle(),
    ...report.pullRequests.map(async (pull) => reportBack(act, run.run_id, pull)),
    isTerminal(run.state) ? publisher.react(endingReaction(run.state)) : undefined,
  ]);
  if (act.settings.report.mention) await mention(act, report, publisher.commentUrl, options.again);
  return {
    ...endOfRun(run, act.settings.failOn),
    finalMessage: words,
    pullRequests: report.pullRequests,
    commentUrl: publisher.commentUrl,
    checkUrl: publisher.checkUrl,
  };
}

/** Services keep no conversation of some runs (404, 422): that is no fault. */
async function lastWords(act: Finish, runId: string): Promise<string | undefined> {
  return bestEffort(act, 'The agent’s last message could not be read', async () => {
    try {
      const options = { signal: act.signal, deadlineMs: 20_000 };
      return finalMessage(await act.client.runs.conversation(runId, options));
    } catch (error) {
      if (isProblem(error, 'resource_not_found')) return undefined;
      if (isProblem(error, 'operation_not_supported')) return undefined;
      throw error;
    }
  });
}

/** With it, work asked for on the pull request finds its run (interface.md 4.2). */
async function reportBack(act: Finish, runId: string, pull: ReportedPullRequest): Promise<void> {
  await bestEffort(act, `${pull.url} could not be reported to the run`, async () => {
    const data = {
      reference_type: 'pull_request',
      url: pull.url,
      ...(pull.title ? { title: pull.title.slice(0, 1000).toWellFormed() } : {}),
    };
    const body = { artifact_type: 'EXTERNAL_REFERENCE', data } as const;
    const options = { run: runId, signal: act.signal, deadlineMs: 20_000 };
    await act.client.harness.reportArtifact(body, options);
  });
}

async function mention(
  act: Finish,
  report: Report,
  commentUrl: string | undefined,
  again = false,
): Promise<void> {
  const { github, event } = act;
  if (!github || !event.thread || !deservesMention(report)) return;
  const target = { repository: event.repository, number: event.thread.number };
  await bestEffort(act, 'The requester could not be notified', async () => {
    const isOurs = async (author: Author): Promise<boolean> =>
      sameName(author.login, await act.identity.login());
    const marker = mentionMarker(report);
    const isDone = again && (await findComments(github, target, { marker, isOurs })).length > 0;
    if (!isDone) await reply(github, event, await renderMention(report, commentUrl));
  });
}
