import type { Profile } from './profile.ts';

/**
 * Any other program that speaks the Agent Client Protocol, named by the operator. What it needs of keys
 * it gets by the variables the operator passes on.
 */
export const acpProfile: Profile = {
  name: 'acp',
  kind: 'acp',
  packages: [],
  remark: 'any program that speaks the Agent Client Protocol',
  programs: [],
  protocol: () => undefined,
  lacks: {},
  hidesModelErrors: false,
  launch: ({ command, model, reasoningLevel, systemPrompt }) => ({
    command: command ?? [],
    env: {},
    files: [],
    sessionModel: model,
    sessionThought: reasoningLevel,
    promptPrefix: systemPrompt,
  }),
};
