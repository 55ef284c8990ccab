import type { Profile, ProfileRun } from './profile.ts';

/**
 * A model of its bundled catalogue; with an unknown one it does not offer `apply_patch` (agents.md,
 * "Starting an agent").
 */
const DEFAULT_MODEL = 'gpt-5.5';

/**
 * Overrides the agent's own `config.toml`: limits retries, and turns off all requests to other
 * hosts (agents.md, "Quiet start").
 */
function config({ model, reasoningLevel, access, systemPrompt }: ProfileRun): string {
  const provider = access && {
    name: 'runlink',
    base_url: access.baseUrl,
    env_key: 'RUNLINK_MODEL_KEY',
    wire_api: 'responses',
    request_max_retries: 2,
    stream_max_retries: 2,
  };
  return JSON.stringify({
    model: model ?? DEFAULT_MODEL,
    ...(provider ? { model_provider: 'runlink', model_providers: { runlink: provider } } : {}),
    ...(reasoningLevel ? { model_reasoning_effort: reasoningLevel } : {}),
    developer_instructions: systemPrompt,
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    feedback: { enabled: false },
    features: { apps: false, plugins: false, remote_plugin: false },
  });
}

export const codexProfile: Profile = {
  name: 'codex',
  kind: 'acp',
  packages: [
    { name: '@agentclientprotocol/codex-acp', version: '2.6.0' },
    { name: '@openai/codex', version: '0.166.0', brought: true },
  ],
  programs: ['codex-acp'],
  protocol: () => 'openai',
  lacks: { questions: 'its model may ask in its own plan mode only' },
  hidesModelErrors: true,
  launch: (run) => ({
    command: run.command ?? ['codex-acp'],
    env: {
      CODEX_CONFIG: config(run),
      ...(run.access ? { RUNLINK_MODEL_KEY: run.access.key } : {}),
    },
    files: [],
    // The worker isolates it; codex's own sandbox hides what it denied (agents.md, "Starting an
    // agent"). Codex asks for permission only in modes that use its own sandbox, too.
    sessionMode:
      run.mode === 'plan' || run.permissions !== 'unasked' ? 'read-only' : 'agent-full-access',
  }),
};
