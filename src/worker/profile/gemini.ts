import type { Profile, ProfileRun } from './profile.ts';

const settings = ({ given }: ProfileRun) => ({
  security: { auth: { selectedType: 'gemini-api-key' } },
  // Its default of ten attempts would take minutes (agents.md, "Failing models").
  general: { disableAutoUpdate: true, maxAttempts: 3 },
  // In a pseudo-terminal it does not pass the output on.
  tools: { shell: { enableInteractiveShell: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // It looks for GEMINI.md only in directories, and the agent could write to the one in HOME.
  context: { includeDirectories: [given], loadMemoryFromIncludeDirectories: true },
});

function sessionMode({ mode, permissions }: ProfileRun): string {
  if (mode === 'plan') return 'plan';
  return permissions === 'unasked' ? 'yolo' : 'default';
}

function command({ model }: ProfileRun): string[] {
  return ['gemini', '--acp', '--skip-trust', ...(model === undefined ? [] : ['-m', model])];
}

export const geminiProfile: Profile = {
  name: 'gemini',
  kind: 'acp',
  packages: [{ name: '@google/gemini-cli', version: '0.61.0' }],
  programs: ['gemini'],
  protocol: () => 'gemini',
  lacks: {
    reasoning: 'it has no setting for it',
    questions: 'its model has no tool for them over the protocol',
    resume: 'it cannot load a session again in this version (google-gemini/gemini-cli#29288)',
    'exit codes': 'it tells none, and no failure of a command',
  },
  hidesModelErrors: false,
  launch: (run) => ({
    command: run.command ?? command(run),
    env: {
      // Its launcher would start Node again and swallow signals (agents.md, "Starting an agent").
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${run.given}/settings.json`,
      ...(run.access
        ? { GOOGLE_GEMINI_BASE_URL: run.access.baseUrl, GEMINI_API_KEY: run.access.key }
        : {}),
    },
    files: [
      { path: 'settings.json', content: JSON.stringify(settings(run)) },
      { path: 'GEMINI.md', content: run.systemPrompt },
    ],
    authMethod: 'gemini-api-key',
    sessionMode: sessionMode(run),
  }),
};
