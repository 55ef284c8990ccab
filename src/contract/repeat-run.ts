import { agentConfig, type AgentConfig } from './agent-config.ts';
import { METADATA_MAX_KEYS } from './primitives.ts';
import type { Schedule } from './schedule.ts';
import type { CreateRunRequest, RunRead } from './run.ts';

/**
 * {@link requestOf} without the comment that the run came from; the pull request stays the same.
 */
export function repeatOf(run: RunRead): CreateRunRequest {
  const { metadata = {}, ...request } = requestOf(run);
  const labels = Object.entries(metadata).filter(([key]) => !key.startsWith('runlink.'));
  return { ...request, metadata: { ...Object.fromEntries(labels), ...pullOf(run) } };
}

/**
 * Metadata about the pull request that a run works on (github.md, "Work on somebody's pull
 * request").
 */
const PLACE = 'repository thread thread_id url sha head_ref pull_request on_pull_request'.split(
  ' ',
);

/** The metadata for a run on the same pull request as another; undefined if that works on none. */
export function pullOf({
  metadata,
}: Pick<RunRead, 'metadata'>): Record<string, string> | undefined {
  if (!metadata?.['runlink.pull_request']) return undefined;
  const pairs = PLACE.flatMap((name) => {
    const value = metadata[`runlink.${name}`];
    return value ? [[`runlink.${name}`, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** The request that must have made a run, from what the service says about the run. */
export function requestOf(run: RunRead): CreateRunRequest {
  const { prompt, title } = run;
  const known = agentConfig.safeParse(withoutNulls(run.agent_config ?? {})).data ?? {};
  // Sharing of the old run does not carry over to the new one.
  const { session_sharing: _, ...config } = known;
  const mode = ownMode(run);
  const skill = skillOf(run, config);
  const agent = identityOf(run);
  return {
    ...(prompt && { prompt }),
    ...(title && { title }),
    ...(mode && { mode }),
    config,
    ...(skill && { skill }),
    ...(agent && { agent_identity_uid: agent }),
    ...(run.scope?.type === 'User' && { team: false }),
    metadata: { ...run.metadata },
  };
}

/** The mode of a run that is not done in the normal one. */
export function ownMode({ mode }: Pick<RunRead, 'mode'>): RunRead['mode'] {
  return mode === 'normal' ? undefined : mode;
}

/** The skill of a run whose configuration names none. */
function skillOf({ agent_skill }: RunRead, config: AgentConfig): string | undefined {
  const isNamed = config.skill_spec !== undefined || config.skills !== undefined;
  return isNamed ? undefined : (agent_skill?.full_path ?? undefined);
}

/** Metadata with the id of the schedule that a run started by hand belongs to. */
export const SCHEDULE_KEY = 'runlink.schedule';

/** The run that a schedule would start now. */
export function requestOfSchedule(schedule: Schedule): CreateRunRequest {
  const { name: title, prompt, mode, agent_config, agent_uid, metadata = {} } = schedule;
  const isFull = Object.keys(metadata).length >= METADATA_MAX_KEYS;
  return {
    title,
    ...(prompt && { prompt }),
    ...(mode && { mode }),
    ...(agent_config && { config: agent_config }),
    ...(agent_uid && { agent_identity_uid: agent_uid }),
    metadata: isFull ? metadata : { ...metadata, [SCHEDULE_KEY]: schedule.id },
  };
}

/** The agent that executed a run, unless it was also the one that asked for it. */
export function identityOf({
  executor,
  creator,
}: Pick<RunRead, 'executor' | 'creator'>): string | undefined {
  const isAgent = executor?.type === 'service_account' && executor.uid !== creator?.uid;
  return isAgent ? (executor.uid ?? undefined) : undefined;
}

function withoutNulls(config: object): object {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
}
