/** The roles of a team; each may also do everything that those after it may (interface.md 4.11). */
export const ROLES = ['owner', 'member', 'reader'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role is at least `least`. */
export function mayAs(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(least);
}
