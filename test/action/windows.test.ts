import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

const seen = vi.hoisted(() => ({ read: [] as string[] }));

vi.mock('node:path', async (original) => (await original<typeof import('node:path')>()).win32);
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  EOL: '\r\n',
}));
vi.mock('node:fs/promises', () => ({
  readFile: async (path: string) => {
    seen.read.push(path);
    return 'Fix it.\r\n';
  },
}));

// Files of one process share their modules: here they are loaded anew, and let go of again.
vi.resetModules();
const { quote } = await import('../../src/action/log.ts');
const { readRawInputs, readSettings } = await import('../../src/action/read-inputs.ts');
const { readRunnerEnvironment } = await import('../../src/action/runner-environment.ts');
afterAll(() => void vi.resetModules());

beforeEach(() => {
  seen.read.length = 0;
});

const env = {
  GITHUB_EVENT_NAME: 'push',
  GITHUB_EVENT_PATH: 'D:\\a\\_temp\\_github_workflow\\event.json',
  GITHUB_WORKSPACE: 'D:\\a\\widgets\\widgets',
};

describe('on a runner with Windows', () => {
  it.each([
    ['prompts\\fix.md', 'D:\\a\\widgets\\widgets\\prompts\\fix.md'],
    ['prompts/fix.md', 'D:\\a\\widgets\\widgets\\prompts\\fix.md'],
    ['C:\\shared\\fix.md', 'C:\\shared\\fix.md'],
  ])('prompt-file %s is read as %s', async (file, path) => {
    const all: Partial<Record<string, string>> = {
      'base-url': 'https://x/api/v1',
      'api-key': 'k',
      'prompt-file': file,
    };
    const raw = readRawInputs((name) => all[name] ?? '');
    const { workspace, eventPath } = readRunnerEnvironment(env);
    const absent = { baseUrl: undefined, apiKey: undefined, canSignIn: false };
    const settings = await readSettings(raw, { ...absent, workspace });
    expect(seen.read).toEqual([path]);
    expect(settings.instruction).toBe('Fix it.');
    expect(eventPath).toBe(env.GITHUB_EVENT_PATH);
  });

  it('text of others has its line ends', () => {
    let printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed += String(chunk);
      return true;
    });
    quote('a\nb');
    vi.restoreAllMocks();
    expect(printed).toMatch(/^::stop-commands::(\S+)\r\na\r\nb\r\n::\1::\r?\n$/);
  });
});
