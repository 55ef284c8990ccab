import type { AgentConfig } from '../../contract/agent-config.ts';
import type { Identity } from '../../contract/identity.ts';
import { uuid, type UserProfile } from '../../contract/primitives.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { findIdentity, requireAvailable } from './read-identities.ts';

type Profile = UserProfile & { uid: string };

/** Who creates and executes a run, and the settings of the executing agent. */
export interface Parties {
  creator: Profile;
  executor: Profile;
  /** The agent's own settings; the request's override them. */
  defaults: AgentConfig;
}

const profileOf = (identity: Identity): Profile => ({
  type: 'service_account',
  uid: identity.uid,
  display_name: identity.name,
});

/** The agent that a field names. Throws if it does not exist or runs may not use it. */
export async function availableIdentity(
  context: ServiceContext,
  teamId: string,
  uid: string,
  field = 'agent_identity_uid',
): Promise<Identity> {
  const identity = await findIdentity(context, teamId, uid);
  if (!identity) {
    const detail = `${field}: there is no agent "${uid}" in this team`;
    throw new ProblemError('resource_not_found', { field, detail });
  }
  requireAvailable(identity);
  return identity;
}

/** A member of the team by id or e-mail address. */
async function findMember(
  { db }: ServiceContext,
  teamId: string,
  member: string,
): Promise<Profile | undefined> {
  const column = uuid.safeParse(member).success ? 'u.id' : 'u.email';
  const row = await db
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .where('m.team_id', '=', teamId)
    .where(column, '=', member)
    .select(['u.id', 'u.display_name', 'u.email'])
    .executeTakeFirst();
  return (
    row && {
      type: 'user',
      uid: row.id,
      display_name: row.display_name,
      ...(row.email === null ? {} : { email: row.email }),
    }
  );
}

async function creatorFor(
  context: ServiceContext,
  caller: TeamPrincipal,
  agent: Identity | undefined,
  onBehalfOf: string | undefined,
): Promise<Profile> {
  if (onBehalfOf === undefined) return { ...caller.profile, uid: caller.uid };
  if (!agent?.on_behalf_of_enabled) {
    const detail = 'on_behalf_of: only the key of an agent that may act for others can use this';
    throw new ProblemError('not_authorized', { field: 'on_behalf_of', detail });
  }
  const member = await findMember(context, caller.teamId, onBehalfOf);
  if (member) return member;
  const detail = 'on_behalf_of: is no member of this team';
  throw new ProblemError('invalid_request', { field: 'on_behalf_of', detail });
}

/**
 * The run's configuration on top of its agent's settings. Skills that the run names, in either
 * field, replace the agent's. A harness with a type replaces the agent's harness; one without only
 * adds to it.
 */
export function mergeConfig(defaults: AgentConfig, own: AgentConfig): AgentConfig {
  const { skills, harness, ...rest } = defaults;
  const named = own.skill_spec !== undefined || own.skills !== undefined;
  const program = own.harness?.type === undefined ? harness : undefined;
  return {
    ...rest,
    ...(skills && !named ? { skills } : {}),
    ...own,
    ...(program || own.harness ? { harness: { ...program, ...own.harness } } : {}),
  };
}

/**
 * Who creates and who executes a run; usually the caller does both. `agent_identity_uid` names an
 * agent of the team as executor. An agent with that permission may create it `on_behalf_of` a
 * member (interface.md 4.2).
 */
export async function executeAs(
  context: ServiceContext,
  caller: TeamPrincipal,
  request: { agent_identity_uid?: string | undefined; on_behalf_of?: string | undefined },
): Promise<Parties> {
  const callingAgent =
    caller.kind === 'agent'
      ? await availableIdentity(context, caller.teamId, caller.uid)
      : undefined;
  const creator = await creatorFor(context, caller, callingAgent, request.on_behalf_of);
  const named = request.agent_identity_uid;
  const agent =
    named === undefined ? callingAgent : await availableIdentity(context, caller.teamId, named);
  return {
    creator,
    executor: agent ? profileOf(agent) : { ...caller.profile, uid: caller.uid },
    defaults: agent ? defaultsOf(agent) : {},
  };
}

/**
 * Who executes something that was set up earlier: the agent named for it, otherwise whoever set it
 * up.
 */
export async function executorOf(
  context: ServiceContext,
  teamId: string,
  author: UserProfile,
  agentUid: string | null,
): Promise<Pick<Parties, 'executor' | 'defaults'>> {
  const uid = agentUid ?? (author.type === 'service_account' ? (author.uid ?? '') : undefined);
  if (uid === undefined) return { executor: { ...author, uid: author.uid ?? '' }, defaults: {} };
  const agent = await availableIdentity(context, teamId, uid);
  return { executor: profileOf(agent), defaults: defaultsOf(agent) };
}

function defaultsOf(settings: Identity): AgentConfig {
  const { skills } = settings;
  return {
    ...(settings.prompt ? { base_prompt: settings.prompt } : {}),
    ...(skills.length > 0 ? { skills } : {}),
    ...(settings.environment_id ? { environment_id: settings.environment_id } : {}),
    ...(settings.base_model ? { model_id: settings.base_model } : {}),
    ...(settings.worker_host ? { worker_host: settings.worker_host } : {}),
    ...(settings.harness ? { harness: settings.harness } : {}),
    ...(settings.harness_auth_secrets
      ? { harness_auth_secrets: settings.harness_auth_secrets }
      : {}),
    ...(settings.mcp_servers ? { mcp_servers: settings.mcp_servers } : {}),
    ...(settings.inference_providers ? { inference_providers: settings.inference_providers } : {}),
    ...(settings.credential_strategy ? { credential_strategy: settings.credential_strategy } : {}),
  };
}
