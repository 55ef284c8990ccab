import {
  endMention,
  placeName,
  runCheck,
  runCheckKey,
  runComment,
} from '../../commands/run-posts.ts';
import { paceOf } from '../../commands/progress.ts';
import { isTerminal, type RunRead } from '../../contract/run.ts';
import { renderCheck, type CheckContent } from '../../github/render/check.ts';
import { deservesMention, endingReaction, renderComment } from '../../github/render/report.ts';
import type { AppContext } from '../context.ts';
import { pullsOfRun } from '../store/pulls.ts';
import { openChecks, reactionsOfRun, wish } from '../store/posts.ts';
import { requestOfRun } from '../store/requests.ts';
import { threadsOfRun, type RunThread } from '../store/run-threads.ts';
import { lockStoredRun, markPublished, type StoredRun } from '../store/runs.ts';
import { renderPullNote } from './pull-note.ts';
import { BUTTONS } from './buttons.ts';
import { isGivenUp, runReport, type RunSurroundings } from './run-report.ts';
import { serviceDownSince } from './service-down.ts';
import type { AppDb } from '../store/tables.ts';

/**
 * Decides what GitHub should show of a run, from what is stored of it: a comment on each of its
 * threads, a check on its head, and a mention of the requester when it ends. Does so in a
 * transaction that locks the run, so that an older state never overwrites a newer one. `complete`
 * is the state for which everything around the run was read; only if the run is still in that state
 * is nothing left to show.
 */
export async function publishRun(
  context: AppContext,
  runId: string,
  complete?: RunRead,
): Promise<void> {
  await context.db.transaction().execute(async (db) => {
    const stored = await lockStoredRun(db, runId);
    if (!stored) return;
    const threads = await threadsOfRun(db, runId);
    const surroundings = {
      pulls: await pullsOfRun(db, runId),
      phrase: context.settings.phrase,
      downSince: await toldDownSince(context, db),
      now: new Date(),
      // The comments of one run share the edits that it may have.
      editEveryMs: context.settings.editEveryMs * Math.max(1, threads.filter(isAsked).length),
    };
    for (const thread of threads) await wishComment(db, stored, thread, surroundings);
    await wishChecks(db, stored, threads, surroundings, context.settings.checkName);
    await wishEnding(db, stored, threads, surroundings);
    if (complete) await markPublished(db, runId, complete);
  });
  context.pokeOutbox();
}

function isAsked({ asked }: RunThread): boolean {
  return asked;
}

async function toldDownSince(context: AppContext, db: AppDb): Promise<Date | undefined> {
  const since = await serviceDownSince(db);
  const longEnough = since && Date.now() - since.getTime() >= context.settings.tellAfterMs;
  return longEnough ? since : undefined;
}

async function wishComment(
  db: AppDb,
  stored: StoredRun,
  thread: RunThread,
  surroundings: RunSurroundings & { editEveryMs: number },
): Promise<void> {
  const report = runReport(stored, placeName(thread), thread.actor, surroundings);
  const body = thread.asked
    ? await renderComment(report)
    : renderPullNote(report, originOf(stored));
  const { installationId, run } = stored;
  const pace = paceOf(report, surroundings.editEveryMs);
  await wish(db, { ...runComment(run, thread, body), installationId, pace });
}

/** Where the run was asked for, according to its metadata. */
function originOf({ repository, number, run }: StoredRun): string {
  const said = run.metadata?.['runlink.thread'] ?? '';
  return /^[\w.-]+\/[\w.-]+#\d+$/.test(said) ? said : `${repository}#${number}`;
}

async function wishChecks(
  db: AppDb,
  stored: StoredRun,
  threads: readonly RunThread[],
  surroundings: RunSurroundings,
  name: string,
): Promise<void> {
  const { installationId, run, runId, actor } = stored;
  const heads = headsOf(stored, surroundings);
  const [first] = threads;
  const report = runReport(stored, first && placeName(first), first?.actor ?? actor, surroundings);
  const content = await renderCheck(report, name, BUTTONS);
  for (const head of heads) await wish(db, { ...runCheck(run, head, content), installationId });
  const current = heads.map((head) => runCheckKey(runId, head.headSha));
  for (const post of await openChecks(db, runId)) {
    if (!current.includes(post.key)) await wish(db, { ...post, content: supersededCheck(name) });
  }
}

/** The run's check on a commit that is no longer the head. */
function supersededCheck(name: string): CheckContent {
  const summary = 'The branch has newer commits; see the check on its head.';
  return {
    name,
    status: 'completed',
    conclusion: 'neutral',
    output: { title: 'Superseded', summary },
  };
}

/**
 * The commits that the run's check belongs on: the heads of its pull requests, and the one it was
 * asked on.
 */
function headsOf(
  stored: StoredRun,
  { pulls }: RunSurroundings,
): { repository: string; headSha: string }[] {
  const ofPulls = pulls.flatMap(({ repository, headSha }) =>
    headSha === null ? [] : [{ repository, headSha }],
  );
  const isAmong = pulls.some(
    (pull) => pull.repository === stored.repository && pull.number === stored.number,
  );
  if (stored.headSha === null || isAmong) return ofPulls;
  return [...ofPulls, { repository: stored.repository, headSha: stored.headSha }];
}

/**
 * After a run's end: changes the reaction on the request, and writes a reply that mentions the
 * requester.
 */
async function wishEnding(
  db: AppDb,
  stored: StoredRun,
  threads: readonly RunThread[],
  surroundings: RunSurroundings,
): Promise<void> {
  await wishEndingReactions(db, stored);
  if (!isTerminal(stored.run.state)) return;
  const origin = threads.find(
    (thread) =>
      thread.asked && thread.repository === stored.repository && thread.number === stored.number,
  );
  if (!origin) return;
  const report = runReport(stored, placeName(origin), origin.actor, surroundings);
  const metadata = (await requestOfRun(db, stored.runId))?.metadata;
  if (metadata?.[MENTION_KEY] === 'no' || !deservesMention(report)) return;
  const { installationId } = stored;
  await wish(db, { ...(await endMention(report, origin, undefined)), installationId });
}

/** Set in the metadata of runs whose repository does not want the requester mentioned. */
export const MENTION_KEY = 'runlink.mention';

/**
 * Shows the end on every request that still has 👀, and always on the newest. Earlier ones keep 👀
 * beside it: a command costs two writes.
 */
async function wishEndingReactions(db: AppDb, stored: StoredRun): Promise<void> {
  const { state } = stored.run;
  if (!isTerminal(state) && !isGivenUp(stored)) return;
  const content = isTerminal(state) ? endingReaction(state) : 'confused';
  for (const { isNewest, ...shown } of await reactionsOfRun(db, stored.runId)) {
    await wish(db, { ...shown, content: { content, ...(!isNewest && { besides: true }) } });
  }
}
