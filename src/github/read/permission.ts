import { RunlinkError } from '../../base/error.ts';
import type { Repository } from './event.ts';
import { statusOf, type Github } from './octokit.ts';

/** What a person may do on a repository, weakest first. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Names GitHub gives the levels in its two fields; `pull` and `push` are the older API's. */
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
 * The level behind GitHub's two answers: `permission` knows only admin, write, read and none,
 * `role_name` also maintain, triage and custom names. The role may refine the permission (triage is
 * told as read, maintain as write), never exceed it; what neither names is none.
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

/** A person's level, asked of GitHub now; 404 is somebody without any. Other failures are thrown. */
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
    // An answer cut off on its way arrives as an empty one: it says nothing, not "none".
    if (typeof permission === 'string') return permissionLevel(permission, role);
  } catch (error) {
    if (statusOf(error) === 404) return 'none';
    throw error;
  }
  throw new RunlinkError('github_unreadable', 'GitHub’s answer names no permission.');
}
