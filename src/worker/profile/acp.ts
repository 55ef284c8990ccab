import type { Profile } from './profile.ts';

/**
 * Any other program that speaks the Agent Client Protocol, named by the operator. The operator
 * passes it its keys as variables.
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
