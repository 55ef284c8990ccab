import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { git } from '../../src/worker/git/git.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { gitIn, makeRemote } from '../support/worker-remote.ts';

/** A repository whose own files tell git to run a program, and what that would leave behind. */
function makeTrap(): { dir: string; gitDir: string; program: string; mark: string } {
  const dir = temporaryDirectory();
  const [mark, program] = [join(dir, 'pwned'), join(dir, 'evil.sh')];
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(program, 0o755);
  gitIn(dir, 'init', '--quiet', 'repository');
  return { dir: join(dir, 'repository'), gitDir: join(dir, 'repository/.git'), program, mark };
}

/** A server of git's HTTP protocol as far as the first request. */
async function serve(answer: (request: IncomingMessage) => [number, Record<string, string>]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(...answer(request)).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('the worker’s own git (threats.md S8)', () => {
  it('runs no hook', async () => {
    const { dir, gitDir, mark, program } = makeTrap();
    for (const hook of ['reference-transaction', 'post-commit', 'pre-commit', 'pre-push'])
      writeFileSync(join(gitDir, 'hooks', hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    writeFileSync(join(dir, 'a'), 'a');
    await git(['add', 'a'], { cwd: dir });
    const tree = (await git(['write-tree'], { cwd: dir })).trim();
    const env = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'a' };
    const who = { ...env, GIT_COMMITTER_EMAIL: 'a@x' };
    const sha = await git(['commit-tree', tree, '-m', 'x'], { cwd: dir, env: who });
    await git(['update-ref', 'refs/heads/x', sha.trim()], { cwd: dir });
    expect(existsSync(mark)).toBe(false);
    // It would have, had it been left to itself.
    gitIn(dir, 'update-ref', 'refs/heads/y', sha.trim());
    expect(existsSync(mark)).toBe(true);
  });

  it('runs no file-system monitor', async () => {
    const { dir, mark, program } = makeTrap();
    gitIn(dir, 'config', 'core.fsmonitor', program);
    await git(['status'], { cwd: dir });
    expect(existsSync(mark)).toBe(false);
    gitIn(dir, 'status');
    expect(existsSync(mark)).toBe(true);
  });

  it('asks no helper for keys', async () => {
    const { dir, mark, program } = makeTrap();
    const { url, asked } = await serve(() => [401, { 'www-authenticate': 'Basic realm="x"' }]);
    gitIn(dir, 'config', 'credential.helper', `!${program}`);
    const options = { cwd: dir, transports: ['http'] as const };
    await expect(git(['ls-remote', '--', `${url}/r`], options)).rejects.toThrow(/git ls-remote/);
    expect(asked.length).toBeGreaterThan(0);
    expect(existsSync(mark)).toBe(false);
  });

  it('takes nothing of the machine’s or the worker’s settings', async () => {
    const { dir, mark, program } = makeTrap();
    const home = join(dir, 'home');
    mkdirSync(home);
    writeFileSync(join(home, '.gitconfig'), `[core]\n\tfsmonitor = ${program}\n[alias]\n\tx = y\n`);
    expect(await git(['config', '--list', '--name-only'], { cwd: dir, home })).not.toContain(
      'alias.x',
    );
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a remote (threats.md S6)', () => {
  it('is reached by the protocols of its order, and by none that a repository names', async () => {
    const { dir, mark, program } = makeTrap();
    const bare = makeRemote(temporaryDirectory());
    await git(['ls-remote', '--', bare], { cwd: dir, transports: ['file'] });
    const refused = /transport '(?:ext|file)' not allowed/;
    for (const url of [`ext::${program}`, bare, `file://${bare}`])
      await expect(
        git(['ls-remote', '--', url], { cwd: dir, transports: ['https'] }),
      ).rejects.toThrow(refused);
    gitIn(dir, 'config', 'protocol.allow', 'always');
    gitIn(dir, 'config', `url.ext::${program}.insteadOf`, 'https://github.com/');
    await expect(
      git(['ls-remote', '--', 'https://github.com/a'], { cwd: dir, transports: ['https'] }),
    ).rejects.toThrow(refused);
    expect(existsSync(mark)).toBe(false);
  });

  it('sends git nowhere else, and a token with it', async () => {
    const other = await serve(() => [200, {}]);
    const first = await serve(({ url }) => [302, { location: other.url + url }]);
    const credentials = { origin: first.url, token: 'ghs_token' };
    await expect(
      git(['ls-remote', '--', `${first.url}/o/r`], { transports: ['http'], credentials }),
    ).rejects.toThrow(/git ls-remote failed/);
    const basic = Buffer.from('x-access-token:ghs_token').toString('base64');
    expect(first.asked.map(({ headers }) => headers.authorization)).toEqual([`Basic ${basic}`]);
    expect(other.asked).toEqual([]);
  });
});
