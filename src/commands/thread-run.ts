import type { Client } from '../client/connect.ts';
import { isProblem } from '../client/error.ts';
import { allRuns } from '../client/pages.ts';
import type { CallOptions } from '../client/send.ts';
import type { RunRead } from '../contract/run.ts';
import type { ThreadRun } from '../github/decide/plan.ts';
import { repositoryName, sameName, threadName } from '../github/read/event.ts';
import { THREAD_ID } from '../github/decide/request.ts';
import {
  canonicalPullRequestUrl,
  isBranchOf,
  isPullRequestOf,
  readPullRequest,
} from '../github/read/pull-requests.ts';
import { readRunMarker } from '../github/render/marker.ts';
import type { Face } from './face.ts';

const LOOK_UP_WITHIN_MS = 10_000;
/** If the service cannot filter by metadata, this many of its newest runs are searched. */
const RUNS_MAX = 5000;
const PAGE_SIZE = 500;

/**
 * The run that commands on this thread continue: the one known to be shown there; else, on a pull
 * request, the run that reported it; else the newest run asked for on the thread, whatever its age.
 * Of the last two the newer one wins, because somebody may have asked for another run on a run's
 * pull request.
 */
export async function findThreadRun(face: Face): Promise<ThreadRun | undefined> {
  const { event, remember } = face;
  if (!event.thread) return undefined;
  const known = await remember.threadRun();
  if (known) return known;
  const linked = await findLinkedRun({ ...face, repositoryOf: remember.repositoryOf });
  const asked = await askedRun(face);
  const run = linked && asked ? newer(linked, asked) : (linked ?? asked);
  return run && { runId: run.run_id, state: run.state, request: run.metadata?.['runlink.request'] };
}

/** The service's answer, or undefined if it knows of no such thing. */
export async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isProblem(error, 'resource_not_found')) return undefined;
    throw error;
  }
}

/** What the search for a pull request's run needs of a face. */
export interface LinkSearch extends Pick<
  Face,
  'service' | 'github' | 'event' | 'patience' | 'authors'
> {
  repositoryOf: Face['remember']['repositoryOf'];
}

/**
 * The run of this pull request: the one that reported it, or that its text names, if the pull
 * request is proven to be its own (threats.md G17) and its repository belongs to the same account.
 */
export async function findLinkedRun(search: LinkSearch): Promise<RunRead | undefined> {
  const { event, github, authors } = search;
  if (event.thread?.kind !== 'pull_request' || !github) return undefined;
  const { owner, name: repo } = event.repository;
  const reported = await reportedRun(search, event.thread.url);
  const pull = await readPullRequest(github, { owner, repo, number: event.thread.number });
  if (!pull) return undefined;
  if (reported && (await isPullRequestOf(pull, reported, authors)))
    return ofAccount(search, reported);
  // The newest run that reported it may only claim it.
  const named = readRunMarker(pull.body)?.runId;
  if (named === undefined || pull.isFork || !isBranchOf(pull.headRef, named)) return undefined;
  return ofAccount(search, await readRun(search, named));
}

async function reportedRun(search: LinkSearch, pageUrl: string): Promise<RunRead | undefined> {
  const { service, patience } = search;
  const url = canonicalPullRequestUrl(pageUrl);
  const options = patience(LOOK_UP_WITHIN_MS);
  const found = await orUndefined(() => service.runs.byExternalReference({ url }, options));
  return found && readRun(search, found.run_id);
}

async function readRun(
  { service, patience }: LinkSearch,
  runId: string,
): Promise<RunRead | undefined> {
  return orUndefined(() => service.runs.get(runId, patience(LOOK_UP_WITHIN_MS)));
}

async function ofAccount(
  { event, repositoryOf }: LinkSearch,
  run: RunRead | undefined,
): Promise<RunRead | undefined> {
  const repository = run && (await repositoryOf(run));
  const isOurs = repository === undefined || areOfOneAccount(repository, event.repository.owner);
  return isOurs ? run : undefined;
}

/**
 * The newest run asked for on this thread, by the thread's current name or by its ids, which
 * survive a rename; not one that is known to belong elsewhere by now.
 */
async function askedRun(face: Face): Promise<RunRead | undefined> {
  const { service, event } = face;
  if (!event.thread) return undefined;
  const { nodeId } = event.thread;
  const names: [string, string][] = [
    ['runlink.thread', threadName(event.repository, event.thread)],
  ];
  if (nodeId !== '') names.push([THREAD_ID, nodeId]);
  const isHere = async (run: RunRead): Promise<boolean> =>
    names.some(([key, value]) => run.metadata?.[key] === value) && isOfPlace(face, run);
  return newestRun(service, { names, isHere }, face.patience(LOOK_UP_WITHIN_MS));
}

/**
 * Whether a run belongs to this repository by its current name, or to this thread by its ids, and
 * is not known to belong elsewhere by now.
 */
export async function isOfPlace(
  { event, remember }: Pick<Face, 'event' | 'remember'>,
  run: RunRead,
): Promise<boolean> {
  const { metadata } = run;
  const known = await remember.repositoryOf(run);
  if (sameName(known, repositoryName(event.repository))) return true;
  const nodeId = event.thread?.nodeId ?? '';
  const isSame = nodeId !== '' && metadata?.[THREAD_ID] === nodeId;
  return isSame && sameName(known, metadata['runlink.repository']);
}

/** The newest run with one of these values in its metadata. */
async function newestRun(
  service: Client,
  { names, isHere }: { names: [string, string][]; isHere: (run: RunRead) => Promise<boolean> },
  options: CallOptions,
): Promise<RunRead | undefined> {
  const order = { sort_by: 'created_at', sort_order: 'desc' } as const;
  try {
    for (const pair of names) {
      const metadata = Object.fromEntries([pair]);
      const [run] = (await service.runs.list({ ...order, limit: 1, metadata }, options)).runs;
      if (run && (await isHere(run))) return run;
    }
    return undefined;
  } catch (error) {
    if (!isProblem(error, 'feature_not_available')) throw error;
  }
  let seen = 0;
  for await (const run of allRuns(service, { ...order, limit: PAGE_SIZE }, options)) {
    if (await isHere(run)) return run;
    seen += 1;
    if (seen >= RUNS_MAX) return undefined;
  }
  return undefined;
}

/** Whether two repositories, or owners, belong to the same user or organisation. */
export function areOfOneAccount(one: string, other: string): boolean {
  return sameName(one.split('/')[0], other.split('/')[0]);
}

function newer(one: RunRead, other: RunRead): RunRead {
  return Date.parse(other.created_at ?? '') > Date.parse(one.created_at ?? '') ? other : one;
}
