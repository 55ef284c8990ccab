import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSkills } from '../../src/worker/discover-skills.ts';
import {
  copyMirror,
  mirrorDirectory,
  packMirror,
  refreshMirror,
  startBranch,
  type MirrorOrder,
} from '../../src/worker/git/mirror.ts';
import { readRemote } from '../../src/worker/git/remote.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { gitIn, makeRemote } from '../support/worker-remote.ts';

function fetchOf(clone_url: string, limitBytes = 1e9): MirrorOrder {
  const remote = readRemote({ owner: 'o', name: 'demo', clone_url }, true);
  return { remote, credentials: undefined, signal: undefined, env: {}, limitBytes };
}

describe('a mirror', () => {
  it('that is damaged is made anew', async () => {
    const root = temporaryDirectory();
    const order = fetchOf(makeRemote(root));
    const mirrors = join(root, 'mirrors');
    const { dir } = await refreshMirror(mirrors, order);
    writeFileSync(join(dir, 'HEAD'), 'garbage');
    expect((await refreshMirror(mirrors, order)).defaultBranch).toBe('main');
  });

  it('of a repository whose default branch is empty serves whoever names another', async () => {
    const root = temporaryDirectory();
    const bare = makeRemote(root);
    gitIn(bare, 'symbolic-ref', 'HEAD', 'refs/heads/empty');
    const mirror = await refreshMirror(join(root, 'mirrors'), fetchOf(bare));
    expect(startBranch(mirror, 'main')).toBe('main');
    expect(() => startBranch(mirror, undefined)).toThrow(/no commits on its default branch/);
  });

  it('of a repository that is not there says what git said', async () => {
    const order = fetchOf('/nonexistent/repo.git');
    await expect(refreshMirror(temporaryDirectory(), order)).rejects.toThrow(
      /does not exist|not appear/,
    );
  });

  it('of a repository whose server falls silent is given up with words', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('001e# service=git-upload-pack\n0000');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const order = fetchOf(`http://127.0.0.1:${port}/o/demo.git`);
    const env = { GIT_HTTP_LOW_SPEED_TIME: '1' };
    await expect(refreshMirror(temporaryDirectory(), { ...order, env })).rejects.toThrow(
      /too slow/i,
    );
  });

  it('of a repository that is too large is given up, and leaves nothing on the disk', async () => {
    const root = temporaryDirectory();
    const bare = makeRemote(root, { 'huge.bin': randomBytes(1_000_000).toString('base64') });
    const mirrors = join(root, 'mirrors');
    await expect(refreshMirror(mirrors, fetchOf(bare, 600_000))).rejects.toThrow(
      /more than 600000 bytes/,
    );
    expect(readdirSync(mirrors)).toEqual([]);
    await refreshMirror(mirrors, fetchOf(bare));
    await expect(refreshMirror(mirrors, fetchOf(bare, 600_000))).rejects.toThrow(/more than/);
    expect(readdirSync(mirrors)).toEqual([]);
  });

  it('is packed when fetches have scattered it, but not while it is copied; drops nothing', async () => {
    const root = temporaryDirectory();
    const [mirrors, order] = [join(root, 'mirrors'), fetchOf(makeRemote(root))];
    const { dir } = await refreshMirror(mirrors, order);
    const gitThere = (input: string, ...words: string[]): string =>
      execFileSync('git', words, { cwd: dir, input, stdio: ['pipe', 'pipe', 'ignore'] })
        .toString()
        .trim();
    const branches = Array.from(
      { length: 100 },
      (_, at) =>
        `commit refs/heads/b${at}\ncommitter a <a@b> ${at} +0000\ndata 0\nM 644 inline f\ndata 4\n${1000 + at}\n`,
    );
    gitThere(branches.join(''), '-c', 'fastimport.unpackLimit=9999', 'fast-import', '--quiet');
    const borrowed = gitThere('of no branch any more', 'hash-object', '-w', '--stdin');
    const scattered = (): number => Number.parseInt(gitThere('', 'count-objects'));
    const { signal } = new AbortController();
    expect(scattered()).toBeGreaterThan(300);
    await copyMirror(dir, async () => {
      await packMirror(dir, signal);
      expect(scattered()).toBeGreaterThan(300);
    });
    await packMirror(dir, signal);
    expect(scattered()).toBeLessThan(2);
    expect(gitThere('', 'cat-file', '-p', borrowed)).toBe('of no branch any more');
    expect(gitThere('', 'for-each-ref')).toContain('refs/heads/b99');
    expect(readdirSync(join(dir, 'refs/heads'))).toEqual([]);
    gitThere('', 'fsck', '--strict');
  });

  it('that is being fetched is packed another time: who is told to end waits for no server', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const root = temporaryDirectory();
    const stop = new AbortController();
    const order = { ...fetchOf(`http://127.0.0.1:${port}/o/demo.git`), signal: stop.signal };
    const fetching = refreshMirror(root, order);
    await packMirror(mirrorDirectory(root, order.remote), new AbortController().signal);
    stop.abort(new Error('told to end'));
    await expect(fetching).rejects.toThrow('told to end');
  });

  it('gives the skills of a repository, and follows no link', async () => {
    const root = temporaryDirectory();
    const bare = makeRemote(root, {
      '.claude/skills/review/SKILL.md': 'Review.',
      'skills/deep/er/SKILL.md': 'no',
      'SKILL.md': 'no',
    });
    const work = join(root, 'w');
    gitIn(root, 'clone', '--quiet', bare, work);
    mkdirSync(join(work, 'skills/link'), { recursive: true });
    symlinkSync('/etc/passwd', join(work, 'skills/link/SKILL.md'));
    gitIn(work, 'add', '--all');
    gitIn(work, 'commit', '--quiet', '-m', 'link');
    gitIn(work, 'push', '--quiet');
    expect(await readSkills(bare, 'refs/heads/main')).toEqual([
      { path: '.claude/skills/review/SKILL.md', content: 'Review.' },
    ]);
  });

  it('gives them also where it names directories without end', async () => {
    const bare = makeRemote(temporaryDirectory(), { 'skills/review/SKILL.md': 'Review.' });
    const makeTree = (lines: string[]): string =>
      execFileSync('git', ['mktree'], { cwd: bare, input: lines.join('\n') })
        .toString()
        .trim();
    let below = makeTree([]);
    for (let level = 0; level < 8; level += 1)
      below = makeTree(Array.from({ length: 30 }, (_, at) => `040000 tree ${below}\td${at}`));
    const review = gitIn(bare, 'rev-parse', 'main:skills/review').trim();
    const skills = makeTree([`040000 tree ${review}\treview`, `040000 tree ${below}\tbomb`]);
    const top = makeTree([`040000 tree ${skills}\tskills`]);
    expect(await readSkills(bare, top)).toEqual([
      { path: 'skills/review/SKILL.md', content: 'Review.' },
    ]);
  });
});
