import type { Lease } from '../../../contract/lease.ts';
import { artifactsOf, seenAt, type RunContext } from '../run-context.ts';

/** How to work in this mode; undefined for the normal one. */
export const HOW: Record<Lease['mode'], string | undefined> = {
  normal: undefined,
  plan: 'Make a plan only. Do not change any file.',
  orchestrate:
    'Lead others: split the task into parts, give each to an agent of your own where you can start some, check what they bring, and put it together.',
};

/**
 * Everything an agent is told besides its task: the run's own instructions, its skills, and the
 * general rules.
 */
export function systemPrompt(run: RunContext): string {
  const { base_prompt, skills = [], environment, mode } = run.lease;
  const parts = [
    base_prompt,
    ...skills.map(({ name, content }) => `Follow this skill (${name}):\n\n${content}`),
    houseRules(environment?.repositories.length ?? 0, seenAt(run, artifactsOf(run))),
    HOW[mode],
  ];
  return parts.filter(Boolean).join('\n\n');
}

function houseRules(repositories: number, artifacts: string): string {
  const rules = [
    'You work unattended: nobody can answer questions while you work.',
    ...(repositories > 0
      ? [
          'Commit your work with clear messages on the branch that is checked out. Do not push: that is done for you.',
        ]
      : []),
    `Files that people should see beside the code go into ${artifacts}.`,
    'End with a short account of what you did.',
  ];
  return rules.join('\n');
}
