import type { Profile } from './profile.ts';

/**
 * The operator's own command, for a program without a protocol: it gets the prompt on stdin, its
 * lines are messages, and its exit code says whether it succeeded. A run cannot configure anything
 * about it.
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
