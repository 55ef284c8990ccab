/** What somebody may do in a team; each may also do what those after it may (interface.md 4.11). */
export const ROLES = ['owner', 'member', 'reader'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role is enough where `least` is asked for. */
export function mayAs(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(least);
}
