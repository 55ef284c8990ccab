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
  /** The least permission that may start or steer a run; `none` allows everybody. */
  permission: Permission;
  /** Exact logins of bots, and of people without that permission, that are allowed anyway. */
  allowedBots: readonly string[];
  allowedUsers: readonly string[];
  /** Whether runs may work on pull requests from forks. The command must still name the commit. */
  allowForks: boolean;
  /** Logins that Runlink posts as. */
  ownLogins: readonly string[];
  /** If this names anybody, only these people and members of these teams are allowed. */
  only?: { users: readonly string[]; teams: readonly string[] };
}

export interface Refusal {
  allowed: false;
  reason: Reason;
  /** One sentence for the person who asked. */
  detail: string;
  /** The permission that they have. */
  held?: Permission;
}
export type Verdict = { allowed: true; permission: Permission | 'listed' | 'not asked' } | Refusal;

/** A pull request's head and base as they were when its command was judged (threats.md G6). */
export interface Pinned {
  head: Head | undefined;
  base: string | undefined;
}

/** Events that only somebody with write access can cause. */
const PROVES_WRITE = [
  'push',
  'workflow_dispatch',
  'repository_dispatch',
  'merge_group',
  'schedule',
];

/** Splits a list of exact logins. Throws `wildcard_refused` for patterns (threats.md G1, G2). */
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
 * Decides whether the person behind this event may start or steer a run here, by what GitHub says
 * now (threats.md G1, G2, G13). Without `github`, no permission can be looked up. Throws
 * `GithubUnreachable` if GitHub does not answer; then nothing is decided.
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
 * Reads the current head, and refuses work on a fork unless the asker named its commit (threats.md
 * G6). Throws `GithubUnreachable`.
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
  // The configuration may name the commit for work that it starts itself, but not for commands.
  const text = trigger === 'command' ? command.prompt : instruction;
  const fork = gateFork(pinned.head, rules, { sha: command.options.sha, text });
  return fork.allowed ? pinned : fork;
}

/** The rules without `only`. */
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
 * Whether the event proves that whoever caused it has write access. For checks it does if somebody
 * pushed to a branch of this repository: one with a pull request, or in a workflow that a fork's
 * pull request cannot start.
 */
function provesWrite({ name, checks, repository }: GithubEvent): boolean {
  if (name === 'check_suite') return checks?.branch !== undefined && checks.pullRequests.length > 0;
  if (name !== 'workflow_run') return PROVES_WRITE.includes(name);
  const isPull = checks?.cause === undefined || checks.cause.startsWith('pull_request');
  return !isPull && sameName(checks.headRepository, repositoryName(repository));
}

/** Decides by the sender's identity alone; undefined if their permission must be looked up. */
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

/** If people or teams are named, refuses everybody else, whatever their permission. */
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

/** Whether somebody is an active member of a team, given as `team` or `org/team`. */
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
 * Reads the current head to work on (threats.md G6): the payload of a comment does not carry it,
 * and that of other events may be older than the command. Undefined if this is not a pull request.
 * Throws `GithubUnreachable`.
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

/** A full commit id. Somebody could craft a commit to match a shorter one. */
const FULL_SHA = /\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b/gi;

/**
 * Refuses work on a fork's pull request unless forks are allowed and the asker named the current
 * head.
 */
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
