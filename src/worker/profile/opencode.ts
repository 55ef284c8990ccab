import type { Profile, ProfileRun } from './profile.ts';

const DEFAULT_MODEL = 'gpt-5.5';
const ANTHROPIC = /^(?:anthropic\/|claude)/;

/** `provider/model` as opencode writes it, without the provider: there is only ours. */
const bare = (model: string | undefined): string =>
  (model ?? DEFAULT_MODEL).replace(/^(?:anthropic|openai)\//, '');

function config({ model, access }: ProfileRun): string {
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
        models: { [name]: { tool_call: true, limit: { context: 200_000, output: 32_000 } } },
      },
    },
  };
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    instructions: ['~/.config/opencode/runlink.md'],
    permission: { '*': 'allow' },
    ...(provider ?? (model === undefined ? {} : { model })),
  });
}

export const opencodeProfile: Profile = {
  name: 'opencode',
  kind: 'acp',
  tested: 'opencode-ai 1.18.33',
  programs: ['opencode'],
  install: 'npm install -g opencode-ai@1.18.33',
  protocol: (model) => (ANTHROPIC.test(model ?? '') ? 'anthropic' : 'openai'),
  permissions: 'allow',
  mcp: true,
  hidesModelErrors: false,
  forgetsSessions: false,
  launch: (run) => ({
    command: run.command ?? ['opencode', 'acp'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_PURE: '1',
    },
    files: [
      { path: '.config/opencode/opencode.json', content: config(run) },
      { path: '.config/opencode/runlink.md', content: run.systemPrompt },
    ],
    ...(run.mode === 'plan' ? { sessionMode: 'plan' } : {}),
  }),
};
