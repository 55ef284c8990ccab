import { isQueueBranch } from '../../github/decide/trigger.ts';
import type { Reason } from '../../github/decide/reason.ts';
import {
  repositoryName,
  sameName,
  type GithubEvent,
  type Thread,
} from '../../github/read/event.ts';
import { ask, type Github } from '../../github/read/octokit.ts';
import { readPullThread } from '../../github/read/read-event.ts';
import type { AppContext } from '../context.ts';
import { repairsInARow } from '../store/requests.ts';
import type { Delivered } from './event.ts';
import { carryOutOn } from './text.ts';

/**
 * How many repairs in a row failing checks may ask for before a person has to ask for something.
 */
const REPAIRS_MAX = 3;

/** A check suite ended: carries out what is configured for failing checks. */
export async function onChecks(context: AppContext, delivered: Delivered): Promise<Reason[]> {
  const { event, github } = delivered;
  const { login } = await context.identity();
  // Our own suite fails when a run fails; acting on that would loop for ever.
  if (sameName(`${event.checks?.app}[bot]`, login)) return ['own_check'];
  if (isQueueBranch(event)) return ['queue_branch'];
  const thread = await threadOfChecks(github, event);
  if (thread && event.isRunsWork === true) {
    const repository = repositoryName(event.repository);
    const repairs = await repairsInARow(context.db, repository, thread.number);
    if (repairs >= REPAIRS_MAX) return ['repairs_exhausted'];
  }
  return thread ? carryOutOn(context, delivered, thread) : ['not_a_command'];
}

/** The pull request that the checks belong to; undefined for a branch without one. */
async function threadOfChecks(github: Github, event: GithubEvent): Promise<Thread | undefined> {
  const number = event.checks?.pullRequests[0];
  if (number === undefined) return undefined;
  const { owner, name: repo } = event.repository;
  const route = 'GET /repos/{owner}/{repo}/pulls/{number}';
  return readPullThread(await ask(github, route, { owner, repo, number }));
}
