import { warning } from '@actions/core';
import { firstLine } from '../base/error.ts';
import { answer } from '../commands/answer.ts';
import { refusedReview, reviewArtifact, reviewPost } from '../commands/review-post.ts';
import { lastWords, reportPullRequest } from '../commands/run-ending.ts';
import { endMention, runCommentKey } from '../commands/run-posts.ts';
import { REVIEW_FILE } from '../contract/review.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { repositoryName } from '../github/read/event.ts';
import { findPullRequests } from '../github/read/pull-requests.ts';
import { deservesMention, endingReaction, type Report } from '../github/render/report.ts';
import { endOfRun, type StepOutcome } from './step-outcome.ts';
import { showRun } from './comment-and-check.ts';
import { authorsOf, type OwnRun, type Step } from './step-context.ts';

const READ_WITHIN_MS = 20_000;

/**
 * Reports the end of a run on GitHub: reads the agent's last words and the pull requests, reports
 * the pull requests back to the run, and updates comment, check, reaction and mention.
 */
export async function reportEnding(
  step: Step,
  own: OwnRun,
  run: RunRead,
  options: { notes?: readonly string[]; again?: boolean } = {},
): Promise<StepOutcome> {
  const hasEnded = isTerminal(run.state);
  const { settings, outbox, event } = step;
  const review = hasEnded ? await putReview(step, own, run) : undefined;
  const notes = [...(options.notes ?? []), ...(review && 'fault' in review ? [review.fault] : [])];
  const ending = { ...(await readEnding(step, run)), unwatched: !hasEnded, notes };
  const report = await showRun(step, own, run, ending);
  if (hasEnded) {
    const asked = { id: own.requestId, attempt: own.mayExist ? 2 : 1 };
    await answer({ event, put: outbox.put }, asked, { reaction: endingReaction(run.state) });
  }
  await Promise.all([outbox.settle(), reportPulls(step, report)]);
  if (review && 'post' in review) await tellRefusedReview(step, own, report, review.post.key);
  if (settings.report.mention) await mention(step, report, options.again);
  return {
    ...endOfRun(run, settings.failOn),
    finalMessage: report.finalMessage,
    pullRequests: report.pullRequests,
  };
}

/** Posts the run's review of the pull request that it was asked on. */
async function putReview(
  step: Step,
  { headSha }: OwnRun,
  run: RunRead,
): Promise<Awaited<ReturnType<typeof reviewPost>> | undefined> {
  const { client, settings, event, signal, outbox } = step;
  const artifact = reviewArtifact(run);
  if (artifact === undefined || settings.reviews === 'none') return undefined;
  const { thread } = event;
  const place = {
    repository: repositoryName(event.repository),
    number: thread?.number ?? 0,
    url: thread?.url ?? '',
    headSha: thread?.kind === 'pull_request' ? headSha : undefined,
    phrase: settings.phrase,
    verdict: settings.reviews,
  };
  const review = await bestEffort(step, `The run’s ${REVIEW_FILE} could not be read`, async () =>
    reviewPost(client, run, artifact, place, { signal, deadlineMs: READ_WITHIN_MS }),
  );
  if (review && 'post' in review) await outbox.put(review.post, { mayExist: true });
  else if (review) warning(review.fault);
  return review;
}

/** Notes on the check that GitHub refused the review, which shows only once it is posted. */
async function tellRefusedReview(
  step: Step,
  own: OwnRun,
  { run, notes, ...report }: Report,
  key: string,
): Promise<void> {
  const { outbox } = step;
  const refusal = outbox.refusalOf(key);
  if (!refusal) return;
  const told = { ...report, notes: [...notes, refusedReview(refusal)] };
  await showRun(step, { ...own, mayExist: true }, run, told);
  await outbox.settle();
}

/** Reads what the run itself does not carry. */
async function readEnding(
  step: Step,
  run: RunRead,
): Promise<Pick<Report, 'finalMessage' | 'pullRequests'>> {
  const { client, github, event, signal } = step;
  const options = { signal, deadlineMs: READ_WITHIN_MS };
  const [finalMessage, pullRequests = []] = await Promise.all([
    isTerminal(run.state)
      ? bestEffort(step, 'The agent’s last message could not be read', async () =>
          lastWords(client, run.run_id, options),
        )
      : undefined,
    bestEffort(step, 'The pull requests could not be looked up', async () =>
      findPullRequests(github, run, { repository: event.repository, authors: authorsOf(step) }),
    ),
  ]);
  return { finalMessage, pullRequests };
}

/**
 * Reports only pull requests that are proven to be the run's own. What a run merely claims must not
 * become true because we repeat it.
 */
async function reportPulls(step: Step, { run, pullRequests }: Report): Promise<void> {
  const options = { signal: step.signal, deadlineMs: READ_WITHIN_MS };
  await Promise.all(
    pullRequests
      .filter((pull) => pull.isOwn)
      .map(async (pull) =>
        bestEffort(step, `${pull.url} could not be reported to the run`, async () =>
          reportPullRequest(step.client, run.run_id, pull, options),
        ),
      ),
  );
}

async function mention({ outbox, place }: Step, report: Report, again = false): Promise<void> {
  if (!place || !deservesMention(report)) return;
  const commentUrl = outbox.urlOf(runCommentKey(report.run.run_id, place));
  await outbox.put(await endMention(report, place, commentUrl), { mayExist: again });
  await outbox.settle();
}

/** Tries something that is nice to have; a failure is only a warning. */
async function bestEffort<T>(
  step: Pick<Step, 'signal'>,
  what: string,
  effort: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await effort();
  } catch (error) {
    if (step.signal.aborted) throw step.signal.reason;
    warning(`${what}: ${firstLine(error)}`);
    return undefined;
  }
}
