import type { Profile, ProfileRun } from './profile.ts';

const DEFAULT_MODEL = 'claude-sonnet-4-5';
const OPENAI = /^(?:openai\/|gpt|o\d)/;

function models({ access, model, reasoningLevel }: ProfileRun): string {
  const openai = OPENAI.test(model ?? '');
  const id = (model ?? DEFAULT_MODEL).replace(/^(?:anthropic|openai)\//, '');
  return JSON.stringify({
    providers: {
      runlink: {
        baseUrl: access?.baseUrl,
        api: openai ? 'openai-completions' : 'anthropic-messages',
        apiKey: 'RUNLINK_MODEL_KEY',
        models: [
          {
            id,
            reasoning: reasoningLevel !== undefined,
            input: ['text'],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            contextWindow: 200_000,
            maxTokens: 32_000,
          },
        ],
      },
    },
  });
}

/** Sets the default provider and model, so that the adapter need not be told. */
function settings({ model, reasoningLevel }: ProfileRun): string {
  const id = (model ?? DEFAULT_MODEL).replace(/^(?:anthropic|openai)\//, '');
  return JSON.stringify({
    defaultProvider: 'runlink',
    defaultModel: id,
    ...(reasoningLevel ? { defaultThinkingLevel: reasoningLevel } : {}),
  });
}

/**
 * It reads its settings only from the directory of its sessions, so ours are copied there at each
 * start. The adapter starts `pi` by name.
 */
const START = `export PATH="$0/bin:$PATH" && mkdir -p "$PI_CODING_AGENT_DIR" && cp -R --remove-destination "$0"/. "$PI_CODING_AGENT_DIR" && exec "$@"`;

export const piProfile: Profile = {
  name: 'pi',
  kind: 'acp',
  packages: [
    { name: 'pi-acp', version: '0.0.24' },
    { name: '@mariozechner/pi-coding-agent', version: '0.73.1' },
  ],
  programs: ['pi-acp', 'pi'],
  protocol: (model) => (OPENAI.test(model ?? '') ? 'openai' : 'anthropic'),
  lacks: {
    mcp: 'it passes no MCP servers on',
    permissions: 'it never asks',
    questions: 'its model has no tool for them',
    diffs: 'new files come without; what changed is read from git in any case',
  },
  hidesModelErrors: true,
  launch: (run) => ({
    before: ['/bin/sh', '-c', START, run.given],
    command: run.command ?? ['pi-acp'],
    env: {
      PI_CODING_AGENT_DIR: `${run.home}/.pi/agent`,
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      ...(run.access ? { RUNLINK_MODEL_KEY: run.access.key } : {}),
    },
    files: [
      ...(run.access
        ? [
            { path: 'models.json', content: models(run) },
            { path: 'settings.json', content: settings(run) },
          ]
        : []),
      { path: 'AGENTS.md', content: run.systemPrompt },
    ],
  }),
};
