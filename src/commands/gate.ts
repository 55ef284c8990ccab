import { errorMessage } from '../base/error.ts';
import type { ReadCommand } from '../github/decide/command.ts';
import { gateActor, gateFork, pinHead, type Refusal, type Verdict } from '../github/decide/gate.ts';
import { doesWork } from '../github/decide/plan.ts';
import type { Origin } from '../github/decide/request.ts';
import { repositoryName, sameName } from '../github/read/event.ts';
import { statusOf, type Github } from '../github/read/octokit.ts';
import type { Face, Pinned, Setup } from './face.ts';
import { GithubUnreachable } from './outage.ts';

/**
 * May the event's actor give this command here? Asked of GitHub at this moment (threats.md G1, G13). Throws
 * `GithubUnreachable` where GitHub was asked and did not answer: nothing is decided then.
 */
export async function gateCommand(
  { github, event, setup }: Face,
  name: string | undefined,
): Promise<Verdict> {
  const { rules, only } = setup(name);
  const verdict = await gateActor(github, event, rules);
  if (verdict.allowed) return (await gateNamed(github, event, only)) ?? verdict;
  return answered(verdict);
}

/** Reads the head at this moment and holds back work on a fork that nobody vouched for (threats.md G6). */
export async function pinWork(
  { github, event, setup }: Face,
  { verb, name, prompt, options }: ReadCommand,
  trigger: Origin['trigger'],
): Promise<Pinned | Refusal> {
  if (!doesWork(verb)) return { head: undefined, base: undefined };
  const pinned = await pinHead(github, event);
  if ('allowed' in pinned) return answered(pinned);
  const { rules, instruction } = setup(name);
  // What is configured vouches for what it starts, never for what somebody commands.
  const asked = { sha: options.sha, text: trigger === 'command' ? prompt : instruction };
  const fork = gateFork(pinned.head, rules, asked);
  return fork.allowed ? pinned : fork;
}

function answered(refusal: Refusal): Refusal {
  const { cause, detail, reason } = refusal;
  if (cause !== undefined) throw new GithubUnreachable(detail, cause, reason);
  return refusal;
}

/** Where people or teams are named, others are refused whatever their permission. */
async function gateNamed(
  github: Github | undefined,
  event: Face['event'],
  { users, teams }: Setup['only'],
): Promise<Refusal | undefined> {
  const actor = event.actor?.login ?? '';
  if (users.length + teams.length === 0) return undefined;
  if (users.some((user) => sameName(user, actor))) return undefined;
  for (const team of teams) {
    if (github && (await isMember(github, event.repository.owner, team, actor))) return undefined;
  }
  const names = [...users, ...teams].map((name) => `\`${name}\``).join(', ');
  return {
    allowed: false,
    reason: 'command_not_allowed',
    detail: `\`.github/runlink.yml\` reserves this in ${repositoryName(event.repository)} for ${names}.`,
  };
}

/** Whether somebody is an active member of a team, named with or without its organisation. */
async function isMember(
  github: Github,
  owner: string,
  team: string,
  login: string,
): Promise<boolean> {
  const [first = '', second] = team.split('/');
  const [org, slug] = second === undefined ? [owner, first] : [first, second];
  try {
    const { data } = await github.request(
      'GET /orgs/{org}/teams/{team_slug}/memberships/{username}',
      { org, team_slug: slug, username: login },
    );
    return data.state === 'active';
  } catch (error) {
    if (statusOf(error) === 404) return false;
    const text = `GitHub was asked about ${login} in ${team}: ${errorMessage(error)}`;
    throw new GithubUnreachable(text, error);
  }
}
