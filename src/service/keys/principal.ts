import type { KeyKind } from '../../contract/endpoint.ts';
import type { UserProfile } from '../../contract/primitives.ts';
import type { Role } from '../../contract/role.ts';

/** Who a key belongs to, and what it may do. */
export interface Principal {
  kind: KeyKind;
  keyId: string;
  /** Null for the worker built into this service, which serves every team. */
  teamId: string | null;
  /** The space of this person's own runs, once there is one. */
  ownSpace?: string | undefined;
  /** Id of the person, agent or repository; for a worker's key, of the key itself. */
  uid: string;
  /** The holder's role in the team; agents and workers have none. */
  role?: Role;
  profile: UserProfile;
  /** For a run-scoped key: the only run it may access. */
  runId: string | undefined;
  /** When the key expires; keys that it creates expire then, too. */
  endsAt: Date | null;
  /** For a worker's key that was good a moment ago: the next statement has to check it again. */
  unproven?: UnprovenKey;
}

export interface UnprovenKey {
  /** The key's hash in hex; statements that write for the worker require that it is valid. */
  hash: string;
  /** Looks the key up, for when nothing was written. Throws `authentication_required`. */
  prove: () => Promise<void>;
}

/** A stored key, with its holder. */
export interface KeyRow {
  id: string;
  hash: Buffer;
  kind: KeyKind;
  key_name: string;
  team_id: string | null;
  run_id: string | null;
  last_used_at: Date | null;
  expires_at: Date | null;
  user_id: string | null;
  own_space: string | null;
  display_name: string | null;
  email: string | null;
  agent_uid: string | null;
  agent_name: string | null;
  /** Id of the repository whose workflow holds the key. */
  subject: string | null;
  /** Role in the team; null for somebody who is not, or no longer, in it. */
  role: Role | null;
}

/** Finds the holder of a raw key; undefined if the key is unknown, revoked or expired. */
export type Authenticate = (
  rawKey: string,
  options: { mayBeUnproven: boolean },
) => Promise<Principal | undefined>;

/** Workers' keys that were valid when last looked up, by their hash in hex. */
export type GoodKeys = Map<string, { principal: Principal; at: number }>;

export interface TeamPrincipal extends Principal {
  teamId: string;
}

export function isOfTeam(principal: Principal): principal is TeamPrincipal {
  return principal.teamId !== null;
}

/** Whether this is the key of the built-in worker, the only one that serves every team. */
export function isBuiltIn({ kind, teamId }: Pick<Principal, 'kind' | 'teamId'>): boolean {
  return kind === 'worker' && teamId === null;
}
