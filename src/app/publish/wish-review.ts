import { reviewArtifact, reviewPost } from '../../commands/review-post.ts';
import { canonicalPullRequestUrl } from '../../github/read/pull-requests.ts';
import { loadRepositoryConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { wish } from '../store/posts.ts';
import { threadsOfRun } from '../store/run-threads.ts';
import { storeReview, type StoredRun } from '../store/runs.ts';

const READ_WITHIN_MS = 15_000;

/**
 * Has the review that a run left posted on the pull request it was last asked on, once for each
 * content of the file. A run of the Action that was only taken up here is the Action's to post of.
 */
export async function wishReview(context: AppContext, stored: StoredRun): Promise<void> {
  const artifact = reviewArtifact(stored.run);
  // An earlier release knew a file by its id alone.
  if (artifact === undefined || artifact === stored.reviewArtifact) return;
  const read = await readReview(context, stored, artifact);
  if (!read || isKnown(stored, artifact, read.version)) return;
  const { runId, installationId } = stored;
  await context.db.transaction().execute(async (trx) => {
    if ('post' in read) await wish(trx, { ...read.post, installationId });
    const fault = 'fault' in read ? read.fault : null;
    await storeReview(trx, runId, { artifact: read.version ?? artifact, fault });
  });
  context.pokeOutbox();
}

/** Whether this content is posted, or the file of one that is cannot be read any more. */
function isKnown(
  { reviewArtifact: known }: StoredRun,
  artifact: string,
  version?: string,
): boolean {
  return version === undefined ? (known?.startsWith(`${artifact}.`) ?? false) : version === known;
}

async function readReview(
  context: AppContext,
  { run, runId, installationId, ...stored }: StoredRun,
  artifact: string,
): Promise<Awaited<ReturnType<typeof reviewPost>> | undefined> {
  const { db } = context;
  const asked = (await threadsOfRun(db, runId)).filter((thread) => thread.asked);
  const pull = asked.findLast((thread) => thread.isPullRequest && thread.headSha);
  if (!pull && asked.some((thread) => thread.isPullRequest)) return undefined;
  const { repository, number } = pull ?? stored;
  const github = await context.github(installationId);
  const { config } = await loadRepositoryConfig(db, github, repository);
  if (config.reviews === 'none') return undefined;
  const place = {
    repository,
    number,
    url: canonicalPullRequestUrl(run.metadata?.['runlink.url'] ?? ''),
    headSha: pull?.headSha ?? undefined,
    phrase: context.settings.phrase,
    verdict: config.reviews,
  };
  return reviewPost(context.client, run, artifact, place, { deadlineMs: READ_WITHIN_MS });
}
