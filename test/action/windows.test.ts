import { registerHooks } from 'node:module';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

const seen: { read: string[] } = { read: [] };

/** What Node's own modules are on Windows. */
const ON_WINDOWS: Readonly<Record<string, string>> = {
  'node:path': 'node:path/win32',
  'node:os': 'data:text/javascript,export * from "node:os"; export const EOL = "\\r\\n";',
  'node:fs/promises': `data:text/javascript,export const readFile = async (path) => {
    globalThis.seenOnWindows.read.push(path);
    return "Fix it.\\r\\n";
  };`,
};

Object.assign(globalThis, { seenOnWindows: seen });
// Files of one process share their modules: those of ours that end in this name are loaded anew.
const hooks = registerHooks({
  resolve(name, context, next) {
    if (!context.parentURL?.endsWith('?windows')) return next(name, context);
    const found = next(ON_WINDOWS[name] ?? name, context);
    return name.startsWith('.') ? { ...found, url: `${found.url}?windows` } : found;
  },
});
const load = async <T>(file: string): Promise<T> =>
  (await import(`${import.meta.resolve(file)}?windows`)) as T;
const { quote } = await load<typeof import('../../src/action/log.ts')>('../../src/action/log.ts');
const { readRawInputs, readSettings } = await load<
  typeof import('../../src/action/read-inputs.ts')
>('../../src/action/read-inputs.ts');
const { readRunnerEnvironment } = await load<
  typeof import('../../src/action/runner-environment.ts')
>('../../src/action/runner-environment.ts');
afterAll(() => hooks.deregister());

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
