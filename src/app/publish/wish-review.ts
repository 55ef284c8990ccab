import { reviewArtifact, reviewPost } from '../../commands/review-post.ts';
import { canonicalPullRequestUrl } from '../../github/read/pull-requests.ts';
import { loadRepositoryConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { wish } from '../store/posts.ts';
import { threadsOfRun } from '../store/run-threads.ts';
import { storeReview, type StoredRun } from '../store/runs.ts';

const READ_WITHIN_MS = 15_000;

/**
 * Has the review that a run left posted on the pull request it was last asked on, once for each file. A run of
 * the Action that was only taken up here is the Action's to post of.
 */
export async function wishReview(context: AppContext, stored: StoredRun): Promise<void> {
  const { db } = context;
  const { run, runId, installationId } = stored;
  const artifact = reviewArtifact(run);
  if (artifact === undefined || artifact === stored.reviewArtifact) return;
  const asked = (await threadsOfRun(db, runId)).filter((thread) => thread.asked);
  const pull = asked.findLast((thread) => thread.isPullRequest && thread.headSha);
  if (!pull && asked.some((thread) => thread.isPullRequest)) return;
  const { repository, number } = pull ?? stored;
  const github = await context.github(installationId);
  const { config } = await loadRepositoryConfig(db, github, repository);
  if (config.reviews === 'none') return;
  const place = {
    repository,
    number,
    url: canonicalPullRequestUrl(run.metadata?.['runlink.url'] ?? ''),
    headSha: pull?.headSha ?? undefined,
    phrase: context.settings.phrase,
    verdict: config.reviews,
  };
  const options = { deadlineMs: READ_WITHIN_MS };
  const read = await reviewPost(context.client, run, artifact, place, options);
  await db.transaction().execute(async (trx) => {
    if ('post' in read) await wish(trx, { ...read.post, installationId });
    await storeReview(trx, runId, { artifact, fault: 'fault' in read ? read.fault : null });
  });
  context.pokeOutbox();
}
