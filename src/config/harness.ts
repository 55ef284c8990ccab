import { z } from 'zod';
import { filledText } from '../contract/primitives.ts';

/** Name of an environment variable. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable');

/** Agents that a profile can be built on; each is also a profile of its own name. */
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

export const harnessProfile = z.strictObject({
  agent: z.enum(AGENT_KINDS).meta({ description: 'The agent this profile starts.' }),
  command: z.array(filledText(4096)).min(1).max(64).optional().meta({
    description:
      'Program and arguments to start instead of the usual ones; required for `acp` and `exec`.',
  }),
  variables: z
    .array(variableName)
    .max(64)
    .default([])
    .meta({ description: "Names of variables of the worker's environment the agent gets." }),
  model_id: filledText(256).optional().meta({ description: 'Model used when a run names none.' }),
  permissions: z.enum(['unasked', 'granted', 'refused']).default('unasked').meta({
    description:
      '`unasked`: the agent acts freely within its sandbox. `granted`: it asks before it acts, is granted it, and the log says so. `refused`: it asks, is refused, and the run ends BLOCKED with the question.',
  }),
});
export type HarnessProfile = z.infer<typeof harnessProfile>;
/** The same as an operator writes it, with what has a default left out. */
export type HarnessSettings = z.input<typeof harnessProfile>;

/** Every name that `config.harness.type` may hold, beside `oz`, which means the default profile. */
export function harnessNames(config: { harnesses: Record<string, unknown> }): string[] {
  return [...new Set([...AGENT_KINDS, ...Object.keys(config.harnesses)])];
}
