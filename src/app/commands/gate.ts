import { errorMessage } from '../../base/error.ts';
import { repositoryName, type GithubEvent, sameName } from '../../github/read/event.ts';
import { gateActor, type Refusal, type Verdict } from '../../github/decide/gate.ts';
import { statusOf, type Github } from '../../github/read/octokit.ts';
import type { CustomCommand, RepositoryConfig } from '../config/schema.ts';
import type { AppContext } from '../context.ts';
import { GithubUnreachable } from '../inbox/outage.ts';

/**
 * May the event's actor give this command here? Asked of GitHub at this moment. While GitHub does not
 * answer nothing is decided: throws `GithubUnreachable`, so that the command is tried again.
 */
export async function gateCommand(
  context: AppContext,
  github: Github,
  event: GithubEvent,
  config: RepositoryConfig,
  custom: CustomCommand | undefined,
): Promise<Verdict> {
  const { login } = await context.identity();
  const verdict = await gateActor(github, event, {
    permission: custom?.permission ?? config.permission ?? 'write',
    allowedBots: config.bots,
    allowedUsers: [],
    allowForks: config['allow-forks'],
    ownLogins: [login],
  });
  if (verdict.allowed) {
    const only = { users: custom?.users ?? config.users, teams: custom?.teams ?? config.teams };
    return (await gateNamed(github, event, only)) ?? verdict;
  }
  if (verdict.reason === 'permission_unknown') {
    throw new GithubUnreachable(verdict.detail, verdict.cause);
  }
  return verdict;
}

/** Where people or teams are named, others are refused whatever their permission. */
async function gateNamed(
  github: Github,
  event: GithubEvent,
  only: { users: string[] | undefined; teams: string[] | undefined },
): Promise<Refusal | undefined> {
  const { users = [], teams = [] } = only;
  const actor = event.actor?.login ?? '';
  if (users.length + teams.length === 0) return undefined;
  if (users.some((user) => sameName(user, actor))) return undefined;
  for (const team of teams) {
    if (await isMember(github, event.repository.owner, team, actor)) return undefined;
  }
  return {
    allowed: false,
    reason: 'command_not_allowed',
    detail: `\`.github/runlink.yml\` reserves this in ${repositoryName(event.repository)} for ${[...users, ...teams].map((name) => `\`${name}\``).join(', ')}.`,
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
  try {
    const { data } = await github.request(
      'GET /orgs/{org}/teams/{team_slug}/memberships/{username}',
      second === undefined
        ? { org: owner, team_slug: first, username: login }
        : { org: first, team_slug: second, username: login },
    );
    return data.state === 'active';
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw new GithubUnreachable(
      `GitHub was asked about ${login} in ${team}: ${errorMessage(error)}`,
      error,
    );
  }
}
