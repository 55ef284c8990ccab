import type { Profile, ProfileRun } from './profile.ts';

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { disableAutoUpdate: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

function command({ model }: ProfileRun): string[] {
  return ['gemini', '--acp', '--skip-trust', ...(model === undefined ? [] : ['-m', model])];
}

export const geminiProfile: Profile = {
  name: 'gemini',
  kind: 'acp',
  tested: '@google/gemini-cli 0.61.0',
  programs: ['gemini'],
  install: 'npm install -g @google/gemini-cli@0.61.0',
  protocol: () => 'gemini',
  permissions: 'allow',
  mcp: true,
  hidesModelErrors: false,
  forgetsSessions: true,
  launch: (run) => ({
    command: run.command ?? command(run),
    env: {
      // Its launcher would start Node again and swallow signals (harness.md 2).
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...(run.access
        ? { GOOGLE_GEMINI_BASE_URL: run.access.baseUrl, GEMINI_API_KEY: run.access.key }
        : {}),
    },
    files: [
      { path: '.gemini/settings.json', content: JSON.stringify(settings) },
      { path: '.gemini/GEMINI.md', content: run.systemPrompt },
    ],
    authMethod: 'gemini-api-key',
    sessionMode: run.mode === 'plan' ? 'default' : 'yolo',
  }),
};
