import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

const seen = vi.hoisted(() => ({ read: [] as string[], written: [] as [string, string][] }));

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
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  appendFileSync: (path: string, text: string) => seen.written.push([path, text]),
}));

// Files of one process share their modules: here they are loaded anew, and let go of again.
vi.resetModules();
const { createRunner } = await import('../../src/action/runner-protocol.ts');
const { readRawInputs, readSettings } = await import('../../src/action/settings.ts');
const { readSurroundings } = await import('../../src/action/surroundings.ts');
afterAll(() => void vi.resetModules());

beforeEach(() => {
  seen.read.length = 0;
  seen.written.length = 0;
});

const env = {
  GITHUB_EVENT_NAME: 'push',
  GITHUB_EVENT_PATH: 'D:\\a\\_temp\\_github_workflow\\event.json',
  GITHUB_WORKSPACE: 'D:\\a\\widgets\\widgets',
  GITHUB_OUTPUT: 'D:\\a\\_temp\\_runner_file_commands\\set_output_1',
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
    const { workspace, eventPath } = readSurroundings(env);
    const settings = await readSettings(raw, { baseUrl: undefined, apiKey: undefined, workspace });
    expect(seen.read).toEqual([path]);
    expect(settings.instruction).toBe('Fix it.');
    expect(eventPath).toBe(env.GITHUB_EVENT_PATH);
  });

  it('outputs go to the file it names, with its line ends', () => {
    createRunner(env, () => undefined).output('state', 'a\nb');
    const [[path, text] = ['', '']] = seen.written;
    expect(path).toBe(env.GITHUB_OUTPUT);
    expect(text).toMatch(/^state<<(\S+)\r\na\nb\r\n\1\r\n$/);
  });
});
