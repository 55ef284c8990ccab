import { errorMessage } from '../../base/error.ts';
import { backoffMs } from '../../base/retry.ts';
import type { Log } from '../../base/log.ts';
import { refusedReview } from '../../commands/review-post.ts';
import {
  isUnexplained,
  readGithubFailure,
  type GithubRefusal,
} from '../../github/read/github-failure.ts';
import { statusOf, type Github } from '../../github/read/octokit.ts';
import { maskPost, type Standing } from '../../github/write/post.ts';
import { withdrawPost, writePost, writesOf } from '../../github/write/write-post.ts';
import type { AppIdentity } from '../identify.ts';
import type { Metrics } from '../metrics.ts';
import {
  blockInstallation,
  releaseInstallation,
  takeWrites,
  type Window,
} from '../store/installations.ts';
import {
  abandonPost,
  markTried,
  markWritten,
  nextPost,
  postponePost,
  type DuePost,
} from '../store/posts.ts';
import { storeReviewFault } from '../store/runs.ts';
import type { Replica } from '../store/replica.ts';
import type { AppDb } from '../store/tables.ts';

/**
 * GitHub allows an installation 80 writes a minute and 500 an hour, and advises one a second
 * (github.md, "Limits"). It counts a request when it arrives, up to 20 s after we counted it, so
 * one of GitHub's hours may include what we wrote in 20 s more. With ten writes in ten seconds both
 * limits hold, even when a review is sent as a whole.
 */
export const WRITE_WINDOWS: readonly Window[] = [
  { count: 10, seconds: 10 },
  { count: 60, seconds: 60 },
  { count: 480, seconds: 3600 },
];

/**
 * A reply to somebody without permission is dropped if it could not be written within this time.
 */
const STRANGERS_WAIT_MS = 60_000;
/** A reaction may take two writes, because one that is there already must be removed first. */
const MOST_WRITES_OF_ONE = 2;

/** Pauses between tries while GitHub, or the network to it, fails. */
const BACKOFF = { firstMs: 1500, longestMs: 5 * 60_000 };

/** How often a write that GitHub called invalid, or refused without a reason, is tried again. */
const REFUSED_TRIES = 2;

export interface WriterParts {
  db: AppDb;
  replica: Replica;
  github: (installationId: number) => Promise<Github>;
  identity: () => Promise<AppIdentity>;
  windows: readonly Window[];
  /** Secrets that must not appear in any text. */
  hide: readonly string[];
  /** Aborted when the App stops taking new work. */
  stopping: AbortSignal;
  metrics: Pick<Metrics, 'writes'>;
  log: Log;
}

/** Writes the due posts of one installation until none is left or a limit is reached. */
export async function writeInstallation(parts: WriterParts, installationId: number): Promise<void> {
  const { db, replica } = parts;
  try {
    while (!parts.stopping.aborted) {
      const post = await nextPost(db, installationId);
      if (!post) return;
      const share = shareOf(post);
      const windows = share === undefined ? parts.windows : parts.windows.map(share);
      const writes = writesOf(post, standingOf(post));
      const waitMs = await takeWrites(db, replica, installationId, windows, writes);
      if (waitMs > 0 && share !== undefined) {
        await putOff(parts, post, waitMs);
        continue;
      }
      if (waitMs > 0) return await blockInstallation(db, installationId, waitMs);
      if (!(await writeOne(parts, post))) return;
    }
  } finally {
    await releaseInstallation(db, replica, installationId);
  }
}

/**
 * How much of each limit replies to strangers and passing states may use, so that there is always
 * room for other posts and for how runs end.
 */
function shareOf({
  isForStranger,
  isPassing,
  remoteId,
}: DuePost): ((window: Window) => Window) | undefined {
  const part = isForStranger ? 4 : isPassing && remoteId !== null ? 2 : 1;
  if (part === 1) return undefined;
  return ({ count, seconds }) => ({
    seconds,
    count: Math.max(MOST_WRITES_OF_ONE, Math.floor(count / part)),
  });
}

/**
 * Delays a post whose share is used up. A stranger's reply is dropped if there is no room soon; a
 * run's progress waits and shows the state of that later time.
 */
async function putOff({ db }: WriterParts, post: DuePost, waitMs: number): Promise<void> {
  const failure = post.isForStranger ? 'too many of strangers' : 'no room for what passes';
  if (!post.isForStranger || waitMs <= STRANGERS_WAIT_MS)
    await postponePost(db, post.id, waitMs, failure);
  else await abandonPost(db, post, { failure });
}

/** Writes the next post; false if this installation must pause. */
async function writeOne(parts: WriterParts, post: DuePost): Promise<boolean> {
  const { db, metrics, log } = parts;
  const about = { post: post.key, installation: post.installationId };
  try {
    const github = await parts.github(post.installationId);
    const { login, appId } = await parts.identity();
    if (post.triedAt === null) await markTried(db, post.id);
    const us = { login: async () => login, appId };
    const { id } = await writePost(github, maskPost(post, parts.hide), standingOf(post), us);
    const standing = await markWritten(db, post, id);
    // Another replica wrote meanwhile, because this one paused for longer than its lease.
    if (standing !== id) await withdrawPost(github, post, id);
    if (post.kind === 'review') await storeReviewFault(db, post.key, null);
    metrics.writes.inc({ kind: post.kind, outcome: 'written' });
    log.info({ ...about, remote: id }, 'written');
    return true;
  } catch (error) {
    const failure = readGithubFailure(error, Date.now());
    metrics.writes.inc({ kind: post.kind, outcome: failure.kind });
    log.warn({ ...about, outcome: failure.kind, error: errorMessage(error) }, 'not written');
    if (failure.kind === 'limit') {
      await blockInstallation(db, post.installationId, failure.waitMs);
      return false;
    }
    if (failure.kind === 'again' || mayPass(post, error)) {
      await postponePost(db, post.id, backoffMs(post.attempts + 1, BACKOFF), errorMessage(error));
    } else {
      await giveUp(parts, post, failure);
    }
    return true;
  }
}

/**
 * Whether a refusal may pass. GitHub also refuses what it does not know yet, such as a commit
 * pushed a moment ago. A review has tries of its own.
 */
function mayPass({ kind, attempts }: DuePost, error: unknown): boolean {
  const isEarly = statusOf(error) === 422 && kind !== 'review';
  return (isEarly || isUnexplained(error)) && attempts < REFUSED_TRIES;
}

async function giveUp({ db }: WriterParts, post: DuePost, refusal: GithubRefusal): Promise<void> {
  const { detail, kind } = refusal;
  // Somebody deleted the comment, so it is not written again.
  const isGone = kind === 'gone' && post.kind === 'comment' && post.remoteId !== null;
  await db.transaction().execute(async (trx) => {
    await abandonPost(trx, post, { failure: detail, isGone });
    if (post.kind === 'review') await storeReviewFault(trx, post.key, refusedReview(refusal));
  });
}

function standingOf({ remoteId, triedAt }: DuePost): Standing {
  return { remoteId: remoteId ?? undefined, mayExist: triedAt ?? false };
}
