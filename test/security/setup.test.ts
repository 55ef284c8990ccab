import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { startFake, type FakeServer } from '../support/fake-http.ts';
import { temporaryDirectory } from '../support/standin.ts';
import { programFile } from '../support/programs.ts';

const NODE = resolve(import.meta.dirname, '../../node_modules/.bin/node');
const CLI = programFile('src/cli/main.ts');
const soon = { timeout: 60_000, interval: 50 };

interface Setup {
  /** The address that the console printed. */
  printed: URL;
  github: FakeServer;
  /** Where the App's key is kept once it was created. */
  file: string;
}

/** `runlink app` on a machine where no App is set up yet. */
async function startSetup(): Promise<Setup> {
  const directory = await temporaryDirectory();
  const github = await startFake(() => ({
    status: 201,
    json: { id: 7, pem: 'a key', webhook_secret: 's', html_url: 'https://github.example/apps/x' },
  }));
  onTestFinished(() => github.close());
  const readyFile = join(directory, 'ready.json');
  const words = ['app', '--port', '0', '--data', directory, '--ready-file', readyFile];
  const child = spawn(
    NODE,
    [CLI, ...words, '--github-api-url', github.url, '--base-url', github.url],
    {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (said += String(chunk)));
  }
  const printed = await vi.waitFor(() => {
    const [address] = /http:\/\/[^\s"]+\/probot\?key=[\w-]+/.exec(said) ?? [];
    if (address === undefined) throw new Error(`no address in: ${said}`);
    return new URL(address);
  }, soon);
  return { printed, github, file: join(directory, 'app.env') };
}

async function visit(url: URL | string, cookie = ''): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers: { cookie } });
}

function cookieOf(answer: Response): string {
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

describe('the set-up page of `runlink app` (threats.md G18)', () => {
  it('opens with the printed key alone, once, and only that browser goes on', async () => {
    const { printed, github, file } = await startSetup();
    for (const path of ['/', '/probot', '/probot?key=', `/probot?key=${'A'.repeat(32)}`]) {
      const shut = await visit(new URL(path, printed));
      expect([path, shut.status, shut.headers.getSetCookie()]).toEqual([path, 403, []]);
      expect(await shut.text()).not.toContain('<form');
    }
    const opened = await visit(printed);
    const cookie = cookieOf(opened);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/probot']);
    expect(opened.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Lax$/);
    const form = await (await visit(new URL('/probot', printed), cookie)).text();
    const state = /state=([\w-]+)/.exec(form)?.[1] ?? '';
    expect(form).toContain('<form');

    // Whoever reads the console later, or over a shoulder, comes too late.
    expect((await visit(printed)).status).toBe(403);
    // Knowing the state is not enough: the answer belongs to the browser that asked.
    const callback = new URL(`/probot/setup?code=abc&state=${state}`, printed);
    expect((await visit(callback)).status).toBe(403);
    expect((await visit(callback, 'runlink_setup=guessed')).status).toBe(403);
    const forged = new URL('/probot/setup?code=theirs&state=forged', printed);
    expect((await visit(forged, cookie)).status).toBe(400);
    expect([github.seen, existsSync(file)]).toEqual([[], false]);

    expect((await visit(callback, cookie)).status).toBe(302);
    expect(github.seen.map(({ path }) => path)).toEqual(['/app-manifests/abc/conversions']);
    expect(await readFile(file, 'utf8')).toContain('APP_ID=7');
    expect((await visit(callback, cookie)).status).toBe(409);
  });
});
