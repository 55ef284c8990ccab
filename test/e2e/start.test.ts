import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../support/standin.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { programFile } from '../support/programs.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const ROOT = join(import.meta.dirname, '../..');
const TEST_WITHIN_MS = 180_000;
const STEP_WITHIN_MS = 90_000;

interface Started {
  printed(): string;
  interrupt(): void;
  /** What a reader does that has seen enough. */
  stopReading(): void;
  ended: Promise<number | null>;
}

/** `npm start` as a person would, on a data directory of its own. */
function start(...words: string[]): Started {
  const child = spawn(process.execPath, [programFile('src/cli/main.ts'), 'start', ...words], {
    cwd: ROOT,
    env: { ...cleanEnvironment(), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    printed: () => text,
    interrupt: () => void child.kill('SIGINT'),
    stopReading: () => void child.stdout.destroy(),
    ended: once(child, 'close').then(() => child.exitCode),
  };
}

/** Processes that work in this directory or name it, as Linux lists them. */
async function processesOf(directory: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return words.includes(directory) || place.startsWith(directory) ? words : '';
    }),
  );
  return found.filter(Boolean);
}

const links = (text: string): string[] =>
  [...text.matchAll(/http:\/\/\S+\/pull\/\d+$/gm)].map(([link]) => link);

describe('npm start', { timeout: TEST_WITHIN_MS }, () => {
  it('tells the whole story, goes on from it at the next start, and leaves nothing running', async () => {
    const data = await temporaryDirectory();
    const first = start('--once', '--data', data, '--port', '0');
    expect([await first.ended, first.printed()]).toEqual([0, expect.stringContaining('✓')]);
    expect(first.printed()).not.toContain('✗');
    expect(links(first.printed())).not.toEqual([]);
    expect(first.printed()).not.toContain('An earlier start');
    expect(await processesOf(data)).toEqual([]);

    const second = start('--data', data, '--port', '0');
    await vi.waitFor(() => expect(second.printed()).toContain('Still here.'), {
      timeout: STEP_WITHIN_MS,
      interval: 100,
    });
    expect(second.printed()).toMatch(/An earlier start did the following[\s\S]*octocat comments/);
    expect(second.printed()).not.toContain('From here on it is new');
    expect(new Set(links(second.printed()))).toEqual(new Set(links(first.printed())));
    const issue = /http:\/\/\S+\/issues\/1$/m.exec(second.printed())?.[0] ?? '';
    expect((await fetch(issue)).status).toBe(200);
    second.interrupt();
    expect(await second.ended).toBe(0);
    expect(await processesOf(data)).toEqual([]);
  });

  it.runIf(LONG)('leaves nothing running when nobody reads on', async () => {
    const data = await temporaryDirectory();
    const unread = start('--once', '--data', data, '--port', '0');
    await vi.waitFor(() => expect(unread.printed()).toContain('✓'), {
      timeout: STEP_WITHIN_MS,
      interval: 20,
    });
    unread.stopReading();
    expect(await unread.ended).toBe(141);
    expect(await processesOf(data)).toEqual([]);
  });
});
