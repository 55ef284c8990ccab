import type { Profile } from './profile.ts';

/**
 * The operator's own command for a program that speaks no protocol: the prompt on its stdin, its lines
 * as messages, its exit code as the verdict. A run can choose nothing about it.
 */
export const execProfile: Profile = {
  name: 'exec',
  kind: 'exec',
  packages: [],
  remark: 'any program',
  programs: [],
  protocol: () => undefined,
  lacks: {
    mcp: 'it speaks no protocol',
    images: 'it speaks no protocol',
    reasoning: 'its command decides',
    permissions: 'it speaks no protocol',
    questions: 'it speaks no protocol',
    resume: 'each prompt starts the program anew',
    'exit codes': 'only its own is known',
    diffs: 'it speaks no protocol',
  },
  hidesModelErrors: false,
  launch: ({ command, systemPrompt }) => ({
    command: command ?? [],
    env: { RUNLINK_SYSTEM_PROMPT: systemPrompt },
    files: [],
  }),
};
