import { z } from 'zod';
import { filledText } from '../contract/primitives.ts';

/** Name of an environment variable. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable');

/**
 * The built-in agents. A profile starts one of them, and each of them is also a profile of that
 * name.
 */
export const AGENT_KINDS = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'pi',
  'demo',
  'acp',
  'exec',
] as const;

/** The agents that need no configuration. */
export const READY_AGENTS = AGENT_KINDS.filter((kind) => kind !== 'acp' && kind !== 'exec');

export const harnessProfile = z.strictObject({
  agent: z.enum(AGENT_KINDS).meta({ description: 'The agent this profile starts.' }),
  command: z.array(filledText(4096)).min(1).max(64).optional().meta({
    description:
      'Program and arguments to start instead of the usual ones; required for `acp` and `exec`.',
  }),
  variables: z.array(variableName).max(64).default([]).meta({
    description: 'Names of environment variables of the worker that are passed to the agent.',
  }),
  model_id: filledText(256).optional().meta({ description: 'Model used when a run names none.' }),
  permissions: z.enum(['unasked', 'granted', 'refused']).default('unasked').meta({
    description:
      '`unasked`: the agent acts freely inside its sandbox. `granted`: it asks before it acts, is allowed to, and the log shows it. `refused`: it asks, is refused, and the run ends BLOCKED with its question.',
  }),
});
export type HarnessProfile = z.infer<typeof harnessProfile>;
/** A profile as an operator may write it, without settings that have defaults. */
export type HarnessSettings = z.input<typeof harnessProfile>;

/** The public name of the operator's default profile (run-lifecycle.md, "Where a run works"). */
const DEFAULT_HARNESS = 'oz';

/** The profile that a run names; undefined if it leaves the choice to the operator. */
export function namedHarness(type: string | undefined): string | undefined {
  return type === DEFAULT_HARNESS ? undefined : type;
}

/** Every name that `config.harness.type` may hold, beside `oz`, which means the default profile. */
export function harnessNames(config: { harnesses: Record<string, unknown> }): string[] {
  return [...new Set([...AGENT_KINDS, ...Object.keys(config.harnesses)])];
}
