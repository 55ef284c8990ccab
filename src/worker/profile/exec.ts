import type { Profile } from './profile.ts';

/**
 * The operator's own command for a program that speaks no protocol: the prompt on its stdin, its lines
 * as messages, its exit code as the verdict. A run can choose nothing about it.
 */
export const execProfile: Profile = {
  name: 'exec',
  kind: 'exec',
  tested: 'any program',
  programs: [],
  install: 'Set `command` in a profile of runlink.yaml.',
  protocol: () => undefined,
  permissions: 'allow',
  mcp: false,
  hidesModelErrors: false,
  forgetsSessions: true,
  launch: ({ command, systemPrompt }) => ({
    command: command ?? [],
    env: { RUNLINK_SYSTEM_PROMPT: systemPrompt },
    files: [],
  }),
};
