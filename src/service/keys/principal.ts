import type { KeyKind } from '../../contract/endpoint.ts';
import type { UserProfile } from '../../contract/primitives.ts';
import type { Role } from '../../contract/role.ts';

/** Who a key speaks for. */
export interface Principal {
  kind: KeyKind;
  keyId: string;
  /** Null for the worker built into this service, which serves every team. */
  teamId: string | null;
  /** Where the runs are that are this person's alone, once there was one. */
  ownSpace?: string | undefined;
  /** Of the person, agent or repository; of a worker's key, the key itself. */
  uid: string;
  /** What the holder may do in the team; of agents and workers whatever their kind of key may. */
  role?: Role;
  profile: UserProfile;
  /** Of a run-scoped key: the only run it may speak of. */
  runId: string | undefined;
  /** When the key is over: so are those that it makes. */
  endsAt: Date | null;
  /** Of a worker's key that was good a moment ago, where what it writes proves it again. */
  unproven?: UnprovenKey;
}

export interface UnprovenKey {
  /** Hex; whoever writes for it demands that this key is good. */
  hash: string;
  /** Looks the key up, where nothing was written. Throws `authentication_required`. */
  prove: () => Promise<void>;
}

/** A key as it is stored, with whom it speaks for. */
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
  /** Of the repository whose workflow holds it. */
  subject: string | null;
  /** In the team; null for who is not, or not any more, in it. */
  role: Role | null;
}

/** Finds who a raw key speaks for; undefined for a key that is unknown, revoked or over. */
export type Authenticate = (
  rawKey: string,
  options: { mayBeUnproven: boolean },
) => Promise<Principal | undefined>;

/** Workers' keys that were good when they were last looked up, by their hash in hex. */
export type GoodKeys = Map<string, { principal: Principal; at: number }>;

export interface TeamPrincipal extends Principal {
  teamId: string;
}

export function isOfTeam(principal: Principal): principal is TeamPrincipal {
  return principal.teamId !== null;
}

/** Whether it is the key of the worker that came with this service: only that one serves every team. */
export function isBuiltIn({ kind, teamId }: Pick<Principal, 'kind' | 'teamId'>): boolean {
  return kind === 'worker' && teamId === null;
}
