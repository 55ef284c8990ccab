import type { Profile, ProfileRun } from './profile.ts';

function sessionMode({ mode, permissions }: Pick<ProfileRun, 'mode' | 'permissions'>): string {
  if (mode === 'plan') return 'plan';
  return permissions === 'unasked' ? 'bypassPermissions' : 'default';
}

export const claudeProfile: Profile = {
  name: 'claude',
  kind: 'acp',
  packages: [
    { name: '@agentclientprotocol/claude-agent-acp', version: '0.100.0' },
    { name: '@anthropic-ai/claude-agent-sdk', version: '0.3.316', brought: true },
  ],
  remark: 'this brings Claude Code 2.1.316, which is proprietary',
  programs: ['claude-agent-acp'],
  protocol: () => 'anthropic',
  lacks: {},
  hidesModelErrors: false,
  launch: ({ home, command, access, model, reasoningLevel, systemPrompt, ...run }) => ({
    command: command ?? ['claude-agent-acp'],
    env: {
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      // As root it refuses to work unattended unless it is told that it is in a sandbox (agents.md,
      // "Starting an agent").
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      // It takes a wrong key for a temporary problem and tries ten times (agents.md, "Failing
      // models").
      CLAUDE_CODE_MAX_RETRIES: '3',
      ...(model === undefined ? {} : { ANTHROPIC_MODEL: model }),
      ...(access ? { ANTHROPIC_BASE_URL: access.baseUrl, ANTHROPIC_API_KEY: access.key } : {}),
    },
    files: [],
    sessionMode: sessionMode(run),
    sessionThought: reasoningLevel,
    sessionMeta: { systemPrompt: { append: systemPrompt } },
  }),
};
