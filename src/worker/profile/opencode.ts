import type { Profile, ProfileRun } from './profile.ts';

const DEFAULT_MODEL = 'gpt-5.5';
const ANTHROPIC = /^(?:anthropic\/|claude)/;

/**
 * The model's name without the provider (opencode writes `provider/model`), because there is only
 * ours.
 */
const bare = (model: string | undefined): string =>
  (model ?? DEFAULT_MODEL).replace(/^(?:anthropic|openai)\//, '');

function config({ given, model, reasoningLevel, permissions, access }: ProfileRun): string {
  const anthropic = ANTHROPIC.test(model ?? '');
  const name = bare(model);
  const provider = access && {
    model: `runlink/${name}`,
    enabled_providers: ['runlink'],
    provider: {
      runlink: {
        npm: anthropic ? '@ai-sdk/anthropic' : '@ai-sdk/openai-compatible',
        options: {
          baseURL: anthropic ? `${access.baseUrl}/v1` : access.baseUrl,
          apiKey: access.key,
        },
        models: {
          [name]: {
            tool_call: true,
            limit: { context: 200_000, output: 32_000 },
            ...(reasoningLevel ? { options: { reasoningEffort: reasoningLevel } } : {}),
          },
        },
      },
    },
  };
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    instructions: [`${given}/instructions.md`],
    permission: { '*': permissions === 'unasked' ? 'allow' : 'ask' },
    ...(provider ?? (model === undefined ? {} : { model })),
  });
}

export const opencodeProfile: Profile = {
  name: 'opencode',
  kind: 'acp',
  packages: [{ name: 'opencode-ai', version: '1.18.33' }],
  programs: ['opencode'],
  protocol: (model) => (ANTHROPIC.test(model ?? '') ? 'anthropic' : 'openai'),
  lacks: {
    questions: 'its model has no tool for them over the protocol',
    diffs: 'the patches of GPT models come without; what changed is read from git in any case',
  },
  hidesModelErrors: false,
  // With its pauses these take a minute.
  modelFailuresMax: 6,
  launch: (run) => ({
    command: run.command ?? ['opencode', 'acp'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_PURE: '1',
      // This overrides every configuration file, those in the repository too.
      OPENCODE_CONFIG_CONTENT: config(run),
    },
    files: [{ path: 'instructions.md', content: run.systemPrompt }],
    ...(run.mode === 'plan' ? { sessionMode: 'plan' } : {}),
  }),
};
