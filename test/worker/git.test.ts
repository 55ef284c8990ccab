import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchName } from '../../src/worker/git/branch-name.ts';
import { changesSince } from '../../src/worker/git/changes.ts';
import type { RunClone } from '../../src/worker/git/clone.ts';
import { credentialsFor, isOnGitHub } from '../../src/worker/git/credentials.ts';
import { git, gitEnvironment } from '../../src/worker/git/git.ts';
import { pushBranch } from '../../src/worker/git/push.ts';
import { addTrailers, trailerLines } from '../../src/worker/git/trailers.ts';
import { readRemote } from '../../src/worker/git/remote.ts';
import { checkWork } from '../../src/worker/run/result/check-work.ts';
import { collectWork, makeClone } from '../support/clone-work.ts';
import { gitIn } from '../support/worker-remote.ts';

const TRAILERS = {
  run: 'https://runs.example/1',
  coAuthor: { name: 'G\nrace<x>', email: 'g@x' },
  signOff: undefined,
};

function commitIn(clone: RunClone, name: string, content: string, message: string): void {
  writeFileSync(join(clone.workTree, name), content);
  gitIn(clone.workTree, 'add', '--all');
  gitIn(clone.workTree, 'commit', '--quiet', '-m', message);
}

describe('a remote', () => {
  it.each([
    '--upload-pack=touch /tmp/x',
    'ext::sh -c id',
    'git@-oProxyCommand=x:y',
    'ssh://-oProxyCommand=x/y',
    'https://u:p@h/r',
    'ftp://h/r',
    '/etc',
    'file:///etc',
    'http://h/r',
  ])('of an unsafe kind is refused: %s (threats.md S6)', (clone_url) => {
    expect(() => readRemote({ owner: 'o', name: 'r', clone_url }, false)).toThrow(/not allowed/);
  });

  it.each(['-x', '..', '.', 'a/b', 'a b', ''])(
    'with the name "%s" is refused (threats.md S8)',
    (name) => {
      expect(() => readRemote({ owner: 'o', name, clone_url: 'https://h/r' }, false)).toThrow(
        /name/,
      );
    },
  );

  it('that is safe is taken', () => {
    for (const clone_url of ['https://h/r.git', 'ssh://git@h/r', 'git@h:o/r.git'])
      expect(readRemote({ owner: 'o', name: 'r', clone_url }, false).url).toBe(clone_url);
  });

  it('gets its token by environment only', () => {
    const credentials = { origin: 'https://git.example', token: 'ghs_secret' };
    const environment = gitEnvironment({ credentials, transports: ['https'] });
    const key = Object.entries(environment).find(([, value]) => value.includes('extraHeader'))?.[1];
    expect(key).toBe('http.https://git.example/.extraHeader');
    expect(environment['GIT_ALLOW_PROTOCOL']).toBe('https');
  });

  it.each([
    ['https://github.com/o/r.git', 'https://api.github.com', 'https://github.com'],
    ['https://x.ghe.com/o/r.git', 'https://api.x.ghe.com', 'https://x.ghe.com'],
    ['https://git.corp:8443/o/r', 'https://git.corp:8443/api/v3', 'https://git.corp:8443'],
    ['https://gitlab.example/o/r.git', 'https://api.github.com', undefined],
    ['https://github.com.evil.example/o/r', 'https://api.github.com', undefined],
    ['http://github.com/o/r.git', 'https://api.github.com', undefined],
    ['https://git.corp:9/o/r', 'https://git.corp/api/v3', undefined],
    ['git@github.com:o/r.git', 'https://api.github.com', undefined],
    ['/srv/r.git', '/srv', undefined],
  ])('%s gets a token of %s only if that is its host (threats.md S18)', (url, apiUrl, origin) => {
    const given = credentialsFor(url, { token: 't', apiUrl });
    expect(given).toEqual(origin && { origin, token: 't' });
  });
});

describe('a pull request', () => {
  it.each([
    ['https://github.com/o/r.git', 'https://api.github.com', true],
    ['git@github.com:o/r.git', 'https://api.github.com', true],
    ['ssh://git@github.com/o/r.git', 'https://api.github.com', true],
    ['ssh://git@ssh.github.com:443/o/r.git', 'https://api.github.com', true],
    ['git@GitHub.com:o/r.git', 'https://api.github.com', true],
    ['git@git.corp:o/r.git', 'https://git.corp/api/v3', true],
    ['ssh://git@git.corp:2222/o/r.git', 'https://git.corp:8443/api/v3', true],
    ['https://git.corp:9/o/r.git', 'https://git.corp/api/v3', false],
    ['/srv/r.git', 'https://git.corp/api/v3', true],
    ['https://gitlab.example/o/r.git', 'https://api.github.com', false],
    ['git@gitlab.example:o/r.git', 'https://api.github.com', false],
    ['/srv/r.git', 'https://api.github.com', false],
  ])('of %s can be asked of %s: %s', (url, apiUrl, can) => {
    expect(isOnGitHub(url, apiUrl)).toBe(can);
  });
});

describe('the name of a branch', () => {
  it('is a valid ref, whatever the title', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), (title, id) => {
        expect(branchName(title, id)).toMatch(
          /^runlink\/[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9a-f]{12}$/,
        );
      }),
    );
  });
});

describe('a run’s clone', () => {
  it('shares no file with the mirror and knows no token', async () => {
    const clone = await makeClone();
    const config = readFileSync(join(clone.workTree, '.git/config'), 'utf8');
    expect(config).toContain(clone.bare);
    const packs = readdirSync(join(clone.workTree, '.git/objects'), {
      recursive: true,
      withFileTypes: true,
    });
    const files = packs.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(statSync(join(file.parentPath, file.name)).nlink).toBe(1);
  });

  it('tells its changes from git: added, modified, deleted, renamed, uncommitted ones too', async () => {
    const clone = await makeClone({ 'a.txt': 'a\n', 'b.txt': 'b\n'.repeat(20), 'c.txt': 'c\n' });
    rmSync(join(clone.workTree, 'a.txt'));
    gitIn(clone.workTree, 'mv', 'b.txt', 'näme "x".txt');
    commitIn(clone, 'c.txt', 'c\nd\n', 'change');
    writeFileSync(join(clone.workTree, 'new.txt'), 'n\n');
    const found = await collectWork(clone);
    const { files, diff } = await changesSince(clone, found.treeSha, found.headSha);
    expect(files).toEqual([
      { path: 'a.txt', status: 'deleted', additions: 0, deletions: 1 },
      { path: 'c.txt', status: 'modified', additions: 1, deletions: 0 },
      { path: 'new.txt', status: 'added', additions: 1, deletions: 0 },
      { path: 'näme "x".txt', status: 'renamed', additions: 0, deletions: 0 },
    ]);
    expect(diff).toContain('+d');
    expect(found.dirty).toBe(true);
  });

  it('adds trailers to the same commits in the same way every time, merges too', async () => {
    const clone = await makeClone();
    commitIn(clone, 'one.txt', '1', 'One');
    gitIn(clone.workTree, 'checkout', '--quiet', '-b', 'side', 'HEAD~1');
    commitIn(clone, 'two.txt', '2', 'Two\n\nSigned-off-by: A <a@x>');
    gitIn(clone.workTree, 'checkout', '--quiet', 'runlink/x-1');
    gitIn(clone.workTree, 'merge', '--quiet', '--no-edit', 'side');
    const { headSha } = await collectWork(clone);
    const first = await addTrailers(clone, headSha, TRAILERS);
    expect(await addTrailers(clone, headSha, TRAILERS)).toBe(first);
    expect(await addTrailers(clone, first, TRAILERS)).toBe(first);
    const messages = gitIn(clone.gitDir, 'log', '--format=%B', `${clone.baseSha}..${first}`);
    expect(messages.match(/^Run: https:\/\/runs.example\/1$/gm)).toHaveLength(3);
    expect(gitIn(clone.gitDir, 'rev-parse', `${first}^{tree}`)).toBe(
      gitIn(clone.gitDir, 'rev-parse', `${headSha}^{tree}`),
    );
    expect(trailerLines(TRAILERS)).toContain('Co-authored-by: G race x <g@x>');
  });

  it('says nothing in a commit that closes an issue once it is merged (threats.md G22)', async () => {
    const clone = await makeClone();
    const said =
      'Fix the #5\n\nFixes #12, closes: acme/web#3\nRESOLVED https://github.com/a/b/issues/4, fix\nGH-7';
    commitIn(clone, 'one.txt', '1', said);
    const { headSha } = await collectWork(clone);
    const head = await addTrailers(clone, headSha, TRAILERS);
    const message = gitIn(clone.gitDir, 'log', '-1', '--format=%B', head);
    expect(message).toContain(
      'Fix the #5\n\nFixes issue #12, closes: issue acme/web#3\nRESOLVED issue https://github.com/a/b/issues/4, fix\nissue GH-7\n',
    );
    expect(await addTrailers(clone, head, TRAILERS)).toBe(head);
  });

  it('is pushed once, never over somebody else’s commits', async () => {
    const clone = await makeClone();
    commitIn(clone, 'one.txt', '1', 'One');
    const { headSha } = await collectWork(clone);
    const order = {
      clone,
      sha: headSha,
      transports: ['file'] as const,
      credentials: undefined,
      publishedSha: undefined,
      signal: undefined,
      env: {},
    };
    await pushBranch(order);
    await pushBranch(order);
    expect(gitIn(clone.bare, 'rev-parse', clone.branch).trim()).toBe(headSha);
    const other = join(clone.root, 'other');
    gitIn(clone.root, 'clone', '--quiet', '--branch', clone.branch, clone.bare, other);
    writeFileSync(join(other, 'theirs.txt'), 'x');
    gitIn(other, 'add', '--all');
    gitIn(other, 'commit', '--quiet', '-m', 'Theirs');
    gitIn(other, 'push', '--quiet');
    commitIn(clone, 'two.txt', '2', 'Two');
    const next = await collectWork(clone);
    await expect(
      pushBranch({ ...order, sha: next.headSha, publishedSha: headSha }),
    ).rejects.toThrow(/Somebody else/);
  });
});

describe('a hostile clone', () => {
  it('is asked by a git that a signal to the worker’s process group does not reach', async () => {
    const groupOf = (pid: string): string => `ps -o pgid= -p ${pid}`;
    const own = execFileSync('sh', ['-c', groupOf(String(process.pid))], { encoding: 'utf8' });
    const asked = await git(['-c', `alias.group=!${groupOf('$$')}`, 'group']);
    expect(Number(asked)).toBeGreaterThan(0);
    expect(asked.trim()).not.toBe(own.trim());
  });

  it('starts no program of its own when the worker looks at it (threats.md S8)', async () => {
    const clone = await makeClone({
      'a.txt': 'a\n',
      '.gitattributes': '*.txt filter=evil diff=evil merge=evil\n',
    });
    const mark = join(clone.root, 'pwned');
    const evil = join(clone.workTree, 'evil.sh');
    writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    const settings = {
      'core.fsmonitor': evil,
      'core.hooksPath': clone.workTree,
      'core.sshCommand': evil,
      'core.pager': evil,
      'core.editor': evil,
      'filter.evil.clean': evil,
      'filter.evil.smudge': evil,
      'filter.evil.process': evil,
      'diff.evil.textconv': evil,
      'diff.evil.command': evil,
      'diff.external': evil,
      'uploadpack.packObjectsHook': evil,
      'core.alternateRefsCommand': evil,
      'credential.helper': `!${evil}`,
      'remote.origin.uploadpack': evil,
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': `ext::${evil}`,
    };
    for (const [key, value] of Object.entries(settings))
      gitIn(clone.workTree, 'config', key, value);
    for (const hook of [
      'pre-commit',
      'post-checkout',
      'reference-transaction',
      'pre-push',
      'post-index-change',
    ])
      writeFileSync(join(clone.workTree, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, {
        mode: 0o755,
      });
    writeFileSync(join(clone.workTree, 'a.txt'), 'changed\n');
    const found = await collectWork(clone);
    await changesSince(clone, found.treeSha, found.headSha);
    await addTrailers(clone, found.headSha, TRAILERS);
    expect(existsSync(mark)).toBe(false);
    expect(found.dirty).toBe(true);
  });

  it('that is none any more is refused', async () => {
    const clone = await makeClone();
    rmSync(join(clone.workTree, '.git'), { recursive: true });
    symlinkSync(clone.gitDir, join(clone.workTree, '.git'));
    await expect(collectWork(clone)).rejects.toThrow(/is gone/);
    rmSync(clone.workTree, { recursive: true });
    symlinkSync(clone.mirror, clone.workTree);
    await expect(collectWork(clone)).rejects.toThrow(/is gone/);
  });

  it('with what git cannot take up is taken without that, which is told', async () => {
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    const clone = await makeClone({ 'kept.txt': 'before', 'locked.txt': 'before' });
    const path = (name: string): string => join(clone.workTree, name);
    mkdirSync(path('unborn'));
    gitIn(path('unborn'), 'init', '--quiet');
    for (const name of ['unborn/f', 'new.txt', 'kept.txt', 'locked.txt', 'secret.txt'])
      writeFileSync(path(name), 'after');
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, clone.root]);
    for (const name of ['locked.txt', 'secret.txt']) chmodSync(path(name), 0);
    const leftOut: string[] = [];
    const found = await collectWork(clone, { leftOut, ...(uid === undefined ? {} : { uid }) });
    expect(leftOut.toSorted()).toEqual([
      'locked.txt: it cannot be read',
      'secret.txt: it cannot be read',
      'unborn/: it is a repository without a commit',
    ]);
    const { files } = await changesSince(clone, found.treeSha, found.headSha);
    expect(files.map((file) => file.path)).toEqual(['kept.txt', 'new.txt']);
  });

  it('is checked no further once the run is cancelled', async () => {
    const clone = await makeClone();
    const { headSha: head, treeSha: tree } = await collectWork(clone);
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(checkWork(clone, { head, tree }, cancelled)).rejects.toThrow('cancelled');
    await expect(changesSince(clone, tree, head, cancelled)).rejects.toThrow('cancelled');
  });

  it('with links out of it, a nested repository and a submodule is taken as what it is (threats.md S7)', async () => {
    const clone = await makeClone();
    symlinkSync('/etc/passwd', join(clone.workTree, 'passwd'));
    mkdirSync(join(clone.workTree, 'nested'));
    gitIn(join(clone.workTree, 'nested'), 'init', '--quiet');
    writeFileSync(join(clone.workTree, 'nested/f'), 'x');
    gitIn(join(clone.workTree, 'nested'), 'add', 'f');
    gitIn(join(clone.workTree, 'nested'), 'commit', '--quiet', '-m', 'n');
    gitIn(join(clone.workTree, 'nested'), 'config', 'core.fsmonitor', '/bin/false');
    writeFileSync(
      join(clone.workTree, '.gitmodules'),
      '[submodule "m"]\n\tpath = m\n\turl = ext::sh -c id\n',
    );
    const found = await collectWork(clone);
    const { files, diff } = await changesSince(clone, found.treeSha, found.headSha);
    expect(files.map(({ path }) => path)).toEqual(['.gitmodules', 'nested', 'passwd']);
    expect(diff).toContain('+/etc/passwd');
    expect(diff).not.toContain('root:');
  });
});
