import { isQueueBranch } from '../../github/decide/trigger.ts';
import type { Reason } from '../../github/decide/reason.ts';
import {
  repositoryName,
  sameName,
  type GithubEvent,
  type Thread,
} from '../../github/read/event.ts';
import { ask, type Github } from '../../github/read/octokit.ts';
import { pullRequest } from '../../github/read/payload.ts';
import { readPullThread } from '../../github/read/read-event.ts';
import type { AppContext } from '../context.ts';
import { repairsInARow } from '../store/requests.ts';
import type { Delivered } from './event.ts';
import { carryOutOn } from './text.ts';

/**
 * How many repairs in a row failing checks may ask for before a person has to ask for something.
 */
const REPAIRS_MAX = 3;
/** Each one costs a request. */
const PULLS_MAX = 20;

/** A check suite ended: carries out what is configured for failing checks. */
export async function onChecks(context: AppContext, delivered: Delivered): Promise<Reason[]> {
  const { event, github } = delivered;
  const { login } = await context.identity();
  // Our own suite fails when a run fails; acting on that would loop for ever.
  if (sameName(`${event.checks?.app}[bot]`, login)) return ['own_check'];
  if (isQueueBranch(event)) return ['queue_branch'];
  const reasons: Reason[] = [];
  for (const thread of await threadsOfChecks(github, event))
    reasons.push(...(await repair(context, delivered, thread)));
  return reasons.length > 0 ? reasons : ['not_a_command'];
}

async function repair(
  context: AppContext,
  delivered: Delivered,
  thread: Thread,
): Promise<Reason[]> {
  const { event } = delivered;
  if (event.isRunsWork === true) {
    const repository = repositoryName(event.repository);
    const repairs = await repairsInARow(context.db, repository, thread.number);
    if (repairs >= REPAIRS_MAX) return ['repairs_exhausted'];
  }
  return carryOutOn(context, delivered, thread);
}

/**
 * The open pull requests whose head is the checked commit, one for each head branch: a repair is
 * pushed to the branch.
 */
async function threadsOfChecks(
  github: Github,
  { checks, repository: { owner, name: repo } }: GithubEvent,
): Promise<Thread[]> {
  const threads = new Map<string, Thread>();
  const route = 'GET /repos/{owner}/{repo}/pulls/{number}';
  for (const number of checks?.pullRequests.slice(0, PULLS_MAX) ?? []) {
    const data = await ask(github, route, { owner, repo, number });
    const { head, state } = pullRequest.parse(data);
    const thread = readPullThread(data);
    if (!thread || state === 'closed' || head.sha !== checks?.sha) continue;
    if (!threads.has(head.ref)) threads.set(head.ref, thread);
  }
  return [...threads.values()];
}
