import { errorMessage, RunlinkError } from '../../base/error.ts';
import {
  type Actor,
  type GithubEvent,
  type Head,
  repositoryName,
  sameName,
} from '../read/event.ts';
import { GithubUnreachable } from '../read/github-failure.ts';
import { statusOf, type Github } from '../read/octokit.ts';
import { toHead } from '../read/read-event.ts';
import { askPermission, meets, type Permission } from '../read/permission.ts';
import type { ReadCommand } from './command.ts';
import { doesWork } from './plan.ts';
import { REASONS, type Reason } from './reason.ts';
import type { Origin } from './request.ts';

export interface GateRules {
  /** The least permission that may start or steer a run; `none` asks nobody. */
  permission: Permission;
  /** Bots, and people below the bar, who may all the same: exact logins. */
  allowedBots: readonly string[];
  allowedUsers: readonly string[];
  /** Pull requests from forks may be worked on when the command names their commit. */
  allowForks: boolean;
  /** Logins we post as. */
  ownLogins: readonly string[];
  /** Only these people and members of these teams may, where any are named. */
  only?: { users: readonly string[]; teams: readonly string[] };
}

export interface Refusal {
  allowed: false;
  reason: Reason;
  /** One sentence for the person who waits. */
  detail: string;
  /** What they have instead of what is needed. */
  held?: Permission;
}
export type Verdict = { allowed: true; permission: Permission | 'listed' | 'not asked' } | Refusal;

/** A pull request's head and base as they were when its command was judged (threats.md G6). */
export interface Pinned {
  head: Head | undefined;
  base: string | undefined;
}

/** Events that GitHub accepts only from people, bots and tokens with write access, so that they prove it. */
const PROVES_WRITE = [
  'push',
  'workflow_dispatch',
  'repository_dispatch',
  'merge_group',
  'schedule',
];

/** Splits a list input of exact logins; throws `wildcard_refused` for patterns (threats.md G1, G2). */
export function readLogins(list: string): string[] {
  const logins = list.split(/[\s,]+/).filter((login) => login !== '');
  const pattern = logins.find((login) => /[*?]/.test(login));
  if (pattern !== undefined) {
    throw new RunlinkError('wildcard_refused', `"${pattern}" is a pattern, not a login.`, {
      hint: 'Name each login exactly; anybody could match a pattern.',
    });
  }
  return logins.map((login) => login.replace(/^@/, ''));
}

/**
 * May the person behind this event start or steer a run here? Asked of GitHub at this moment (threats.md G1, G2,
 * G13); without `github` nobody can be asked. Throws `GithubUnreachable` where GitHub was asked and did not
 * answer: nothing is decided then.
 */
export async function gateActor(
  github: Github | undefined,
  event: GithubEvent,
  rules: GateRules,
): Promise<Verdict> {
  const verdict = await gateAnybody(github, event, rules);
  if (!verdict.allowed || !rules.only) return verdict;
  return (await gateNamed(github, event, rules.only)) ?? verdict;
}

/**
 * Reads the head at this moment and holds back work on a fork that nobody vouched for (threats.md G6). Throws
 * `GithubUnreachable`.
 */
export async function pinWork(
  github: Github | undefined,
  event: GithubEvent,
  { rules, instruction }: { rules: GateRules; instruction: string },
  { command, trigger }: { command: ReadCommand; trigger: Origin['trigger'] },
): Promise<Pinned | Refusal> {
  if (!doesWork(command.verb)) return { head: undefined, base: undefined };
  const pinned = await pinHead(github, event);
  if ('allowed' in pinned) return pinned;
  // What is configured vouches for what it starts, never for what somebody commands.
  const text = trigger === 'command' ? command.prompt : instruction;
  const fork = gateFork(pinned.head, rules, { sha: command.options.sha, text });
  return fork.allowed ? pinned : fork;
}

/** Whoever it is, whether people or teams are named or not. */
async function gateAnybody(
  github: Github | undefined,
  event: GithubEvent,
  rules: GateRules,
): Promise<Verdict> {
  const { actor } = event;
  if (provesWrite(event) && meets('write', rules.permission)) {
    return { allowed: true, permission: 'write' };
  }
  if (!actor) {
    const needsActor = event.thread !== undefined || event.comment !== undefined;
    return needsActor ? refuse('no_actor') : { allowed: true, permission: 'not asked' };
  }
  return (
    gateByName(event, actor, rules) ??
    (github
      ? gateByPermission(github, event, rules, actor.login)
      : refuse(
          'permission_unknown',
          'There is no token to ask GitHub with who may do this: pass `github-token`.',
        ))
  );
}

/**
 * Whether whoever caused an event, person or bot, could write here. Checks have run on somebody's push: one to a
 * pull request's branch in this repository, or of a workflow that no pull request of a fork can start.
 */
function provesWrite({ name, checks, repository }: GithubEvent): boolean {
  if (name === 'check_suite') return checks?.branch !== undefined && checks.pullRequests.length > 0;
  if (name !== 'workflow_run') return PROVES_WRITE.includes(name);
  const isPull = checks?.cause === undefined || checks.cause.startsWith('pull_request');
  return !isPull && sameName(checks.headRepository, repositoryName(repository));
}

/** What the sender's identity alone decides; undefined when it is the permission that does. */
function gateByName(event: GithubEvent, actor: Actor, rules: GateRules): Verdict | undefined {
  const isIn = (list: readonly string[]): boolean => list.some((one) => sameName(one, actor.login));
  const isListedBot = isIn(rules.allowedBots);
  if (isIn(rules.ownLogins) && !isListedBot) return refuse('own_comment');
  if (event.comment && !sameName(event.comment.author, actor.login)) {
    return refuse('actor_mismatch');
  }
  if (actor.type === 'Bot') {
    return isListedBot ? { allowed: true, permission: 'listed' } : refuse('bot');
  }
  if (isIn(rules.allowedUsers)) return { allowed: true, permission: 'listed' };
  return rules.permission === 'none' ? { allowed: true, permission: 'not asked' } : undefined;
}

async function gateByPermission(
  github: Github,
  event: GithubEvent,
  rules: GateRules,
  login: string,
): Promise<Verdict> {
  let held: Permission;
  try {
    held = await askPermission(github, event.repository, login);
  } catch (error) {
    const detail = `GitHub was asked about ${login}: ${errorMessage(error)}`;
    throw new GithubUnreachable(detail, error, 'permission_unknown');
  }
  if (meets(held, rules.permission)) return { allowed: true, permission: held };
  const detail = `This needs \`${rules.permission}\` permission on the repository; ${login} has \`${held}\`.`;
  return { ...refuse('actor_below_bar', detail), held };
}

/** Where people or teams are named, others are refused whatever their permission. */
async function gateNamed(
  github: Github | undefined,
  event: GithubEvent,
  { users, teams }: NonNullable<GateRules['only']>,
): Promise<Refusal | undefined> {
  const actor = event.actor?.login ?? '';
  if (users.length + teams.length === 0) return undefined;
  if (users.some((user) => sameName(user, actor))) return undefined;
  for (const team of teams) {
    if (github && (await isMember(github, event.repository.owner, team, actor))) return undefined;
  }
  const names = [...users, ...teams].map((name) => `\`${name}\``).join(', ');
  return refuse(
    'command_not_allowed',
    `\`.github/runlink.yml\` reserves this in ${repositoryName(event.repository)} for ${names}.`,
  );
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

/**
 * The head to work on, read at this moment (threats.md G6): a comment's payload does not carry it,
 * and what the payload says may be older than the command. Undefined off pull requests. Throws
 * `GithubUnreachable`.
 */
export async function pinHead(
  github: Github | undefined,
  event: GithubEvent,
): Promise<Pinned | Refusal> {
  const { thread, head, repository } = event;
  if (thread?.kind !== 'pull_request') return { head: undefined, base: undefined };
  if (head && event.name === 'pull_request') return { head, base: thread.base };
  if (!github) return head ? { head, base: thread.base } : refuse('head_unknown');
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      owner: repository.owner,
      repo: repository.name,
      pull_number: thread.number,
    });
    return { head: toHead(data.head, data.base), base: data.base.ref };
  } catch (error) {
    throw new GithubUnreachable(errorMessage(error), error, 'head_unknown');
  }
}

/** A full commit id; a shorter one could be matched by a made-up commit. */
const FULL_SHA = /\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b/gi;

/** Work on a fork's pull request needs permission here and its head named in the asker's own words. */
export function gateFork(
  head: Head | undefined,
  rules: Pick<GateRules, 'allowForks'>,
  asked: { sha?: string | undefined; text: string },
): { allowed: true } | Refusal {
  if (!head?.fork) return { allowed: true };
  if (!rules.allowForks) return refuse('fork');
  const named = asked.sha === undefined ? (asked.text.match(FULL_SHA) ?? []) : [asked.sha];
  if (named.length === 0) {
    return refuse('fork_sha_required', `Name the commit you have read: \`--sha ${head.sha}\`.`);
  }
  if (named.some((sha) => sha.toLowerCase() === head.sha.toLowerCase())) return { allowed: true };
  return refuse('fork_sha_mismatch', `The head is \`${head.sha}\` now; read that one first.`);
}

function refuse(reason: Reason, detail?: string): Refusal {
  return {
    allowed: false,
    reason,
    detail: detail ?? `${REASONS[reason].text}.`,
  };
}
