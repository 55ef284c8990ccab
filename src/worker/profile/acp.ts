import type { Profile } from './profile.ts';

/**
 * Any other program that speaks the Agent Client Protocol, named by the operator. What it needs of keys
 * it gets by the variables the operator passes on.
 */
export const acpProfile: Profile = {
  name: 'acp',
  kind: 'acp',
  tested: 'any agent that speaks the Agent Client Protocol',
  programs: [],
  install: 'Set `command` in a profile of runlink.yaml.',
  protocol: () => undefined,
  permissions: 'allow',
  mcp: true,
  hidesModelErrors: false,
  forgetsSessions: false,
  launch: ({ command, model, systemPrompt }) => ({
    command: command ?? [],
    env: {},
    files: [],
    sessionModel: model,
    promptPrefix: systemPrompt,
  }),
};
