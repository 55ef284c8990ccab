import { RunlinkError } from '../../base/error.ts';
import type { AgentConfig } from '../../contract/agent-config.ts';
import { namedHarness, type HarnessSettings } from '../../config/harness.ts';
import type { WorkerOptions } from '../worker-options.ts';
import { BUILT_IN } from './built-in.ts';
import type { Permissions, Profile } from './profile.ts';

export interface ResolvedProfile {
  /** The agent's name, as the run asked for it. */
  name: string;
  profile: Profile;
  command: readonly string[] | undefined;
  model: string | undefined;
  permissions: Permissions;
  /** Variables of the worker's environment that the operator passes on to this agent. */
  variables: Record<string, string>;
}

/**
 * Whether this is our own demo agent, which needs no sandbox because it does nothing that a model
 * says.
 */
export function isDemo({ profile, command }: ResolvedProfile): boolean {
  return profile.name === 'demo' && command === undefined;
}

/** The worker's options that concern its agents. */
type ProfileOptions = Pick<WorkerOptions, 'harnesses' | 'environment' | 'defaultHarness'>;

const profiles: Readonly<Record<string, Profile>> = BUILT_IN;
/** These cannot run without a command from the operator. */
const NEEDS_COMMAND: ReadonlySet<string> = new Set(['acp', 'exec']);

/**
 * The profile that a run's configuration names. Throws `agent_unusable` and says what to do about
 * it.
 */
export function resolveProfile(config: AgentConfig, options: ProfileOptions): ResolvedProfile {
  const name = profileName(config, options);
  const { profile, own } = findProfile(name, options);
  const model = config.harness?.model_id ?? config.model_id;
  return {
    name,
    profile,
    command: own?.command,
    model: model ?? own?.model_id,
    permissions: own?.permissions ?? 'unasked',
    variables: passedOn(own?.variables ?? [], options),
  };
}

/** A profile by name, with the operator's changes. Throws `agent_unusable`. */
export function findProfile(
  name: string,
  options: Pick<WorkerOptions, 'harnesses'>,
): { profile: Profile; own: HarnessSettings | undefined } {
  const own = options.harnesses?.[name];
  const profile = profiles[own?.agent ?? name];
  if (!profile)
    throw new RunlinkError('agent_unusable', `"${name}" is no agent this worker knows.`, {
      hint: `It knows ${profileNames(options).join(', ')}.`,
    });
  if (NEEDS_COMMAND.has(profile.name) && !own?.command)
    throw new RunlinkError('agent_unusable', `The profile "${name}" has no command.`, {
      hint: `Set harnesses.${name}.command in runlink.yaml.`,
    });
  const { permissions: unable } = profile.lacks;
  if ((own?.permissions ?? 'unasked') !== 'unasked' && unable !== undefined)
    throw new RunlinkError('agent_unusable', `The profile "${name}" cannot ask: ${unable}.`, {
      hint: `Leave harnesses.${name}.permissions out.`,
    });
  return { profile, own };
}

function profileName(config: AgentConfig, options: ProfileOptions): string {
  const name = namedHarness(config.harness?.type) ?? options.defaultHarness;
  if (name !== undefined) return name;
  throw new RunlinkError('agent_unusable', 'No agent is configured on this worker.', {
    hint: 'Name one by `config.harness.type`, or set `default_harness` in runlink.yaml; `runlink doctor` says which are usable.',
  });
}

function passedOn(names: readonly string[], options: ProfileOptions): Record<string, string> {
  const pairs = names.flatMap((name) => {
    const value = options.environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(pairs);
}

/** The names of all profiles that a run may ask for. */
export function profileNames(options: Pick<WorkerOptions, 'harnesses'>): string[] {
  return [...new Set([...Object.keys(BUILT_IN), ...Object.keys(options.harnesses ?? {})])];
}
