import { RunlinkError } from '../../base/error.ts';
import type { Repository } from './event.ts';
import { statusOf, type Github } from './octokit.ts';

/** Levels of permission on a repository, weakest first. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** GitHub's names for the levels in its two fields; `pull` and `push` come from the older API. */
const LEVELS: Record<string, Permission> = {
  none: 'none',
  read: 'read',
  pull: 'read',
  triage: 'triage',
  write: 'write',
  push: 'write',
  maintain: 'maintain',
  admin: 'admin',
};

export function meets(held: Permission, bar: Permission): boolean {
  return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(bar);
}

/**
 * The level by GitHub's two fields: `permission` is only admin, write, read or none; `role_name`
 * may also be maintain, triage or a custom name. The role may refine the permission (triage shows
 * as read, maintain as write), but never exceed it. Anything unknown counts as none.
 */
export function permissionLevel(permission: unknown, role: unknown): Permission {
  const legacy = level(permission);
  const named = level(role);
  if (legacy === undefined) return 'none';
  if (named === undefined) return legacy;
  if (legacy === 'write' && named === 'maintain') return named;
  if (legacy === 'read' && named === 'triage') return named;
  return meets(legacy, named) ? named : legacy;
}

function level(name: unknown): Permission | undefined {
  return typeof name === 'string' && Object.hasOwn(LEVELS, name) ? LEVELS[name] : undefined;
}

/**
 * A person's current level, read from GitHub. A 404 means that they have none; other failures are
 * thrown.
 */
export async function askPermission(
  github: Github,
  repository: Repository,
  login: string,
): Promise<Permission> {
  try {
    const { data } = await github.request(
      'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      { owner: repository.owner, repo: repository.name, username: login },
    );
    const { permission, role_name: role } = data;
    // A response that was cut off arrives empty: then the permission is unknown, not "none".
    if (typeof permission === 'string') return permissionLevel(permission, role);
  } catch (error) {
    if (statusOf(error) === 404) return 'none';
    throw error;
  }
  throw new RunlinkError('github_unreadable', 'GitHub’s answer names no permission.');
}
