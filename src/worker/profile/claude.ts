import type { Profile } from './profile.ts';

export const claudeProfile: Profile = {
  name: 'claude',
  kind: 'acp',
  tested: 'Claude Code 2.1.329 with @agentclientprotocol/claude-agent-acp 0.100.0',
  programs: ['claude-agent-acp'],
  install:
    'npm install -g @agentclientprotocol/claude-agent-acp@0.100.0 (it brings Claude Code, which is proprietary)',
  protocol: () => 'anthropic',
  permissions: 'allow',
  mcp: true,
  hidesModelErrors: false,
  forgetsSessions: false,
  launch: ({ home, command, access, model, mode, systemPrompt }) => ({
    command: command ?? ['claude-agent-acp'],
    env: {
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      // As root it refuses to work unattended unless told that it is in a sandbox (harness.md 2).
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      // It takes a wrong key for a passing trouble and tries ten times (harness.md 4).
      CLAUDE_CODE_MAX_RETRIES: '3',
      ...(model === undefined ? {} : { ANTHROPIC_MODEL: model }),
      ...(access ? { ANTHROPIC_BASE_URL: access.baseUrl, ANTHROPIC_API_KEY: access.key } : {}),
    },
    files: [],
    sessionMode: mode === 'plan' ? 'plan' : 'bypassPermissions',
    sessionMeta: { systemPrompt: { append: systemPrompt } },
  }),
};
