import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig, renderConfig, givenByRemote } from '../../src/cli/init/write-config.ts';
import { runCliHere } from '../support/cli-here.ts';
import { runCliCommand } from '../support/cli-process.ts';
import { makeRemote } from '../support/worker-remote.ts';

const wish = { agent: 'claude', keyVariable: 'ANTHROPIC_API_KEY', canPush: false };
const written = (repository: string) => {
  const text = renderConfig({ ...wish, repository });
  return { text, config: checkConfig(text, 'runlink.yaml') };
};

describe('the runlink.yaml of init', () => {
  it.each([
    ['acme/web', { owner: 'acme', repo: 'web' }],
    ['https://github.com/acme/web.git', { owner: 'acme', repo: 'web' }],
    [
      'git@github.com:acme/web.git',
      { owner: 'acme', repo: 'web', clone_url: 'git@github.com:acme/web.git' },
    ],
    [
      'https://git.example.org/team/sub/web.git',
      { owner: 'sub', repo: 'web', clone_url: 'https://git.example.org/team/sub/web.git' },
    ],
    ['/srv/git/web.git', { owner: 'local', repo: 'web', clone_url: '/srv/git/web.git' }],
  ])('has the repository %s as it is written', (given, repository) => {
    const { config, text } = written(given);
    expect(config.environments[0]?.repositories).toEqual([repository]);
    expect(config.default_harness).toBe('claude');
    expect(config.environments[0]?.pull_request).toBe(false);
    expect(text).toContain('ANTHROPIC_API_KEY');
    expect(text.split('\n').filter((line) => line.includes('#')).length).toBeGreaterThan(8);
  });

  it.each([
    ['https://github.com/acme/web.git', 'acme/web'],
    ['git@github.com:acme/web.git', 'acme/web'],
    ['https://user:secret@github.com/acme/web', 'acme/web'],
    ['https://user:secret@git.example.org/acme/web.git', 'https://git.example.org/acme/web.git'],
    ['git@git.example.org:acme/web.git', 'git@git.example.org:acme/web.git'],
    [
      'https://git.example.org/x@github.com/acme/web',
      'https://git.example.org/x@github.com/acme/web',
    ],
    ['/srv/acme/web', '.'],
    ['http://git.example.org/acme/web.git', '.'],
  ])('has of this folder’s remote %s what is meant', (url, meant) => {
    expect(givenByRemote({ url, repository: 'acme/web' })).toBe(meant);
  });

  it.each(['web', 'a b/c', 'ftp://x/y', '-x/y', ''])('refuses %j', (given) => {
    expect(() => written(given)).toThrow(/is not a repository/);
  });
});

describe('runlink init', () => {
  let directory: string;
  let remote: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'runlink-init-'));
    remote = makeRemote(directory);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const lineOf = (words: string[]) => ['init', ...words, '--data', join(directory, 'data')];
  // As on a shell, however the tests were started.
  const quiet = { RUNLINK_LOG: 'error', npm_command: '', npm_lifecycle_event: '' };
  const init = (words: string[], env: Record<string, string> = {}) =>
    runCliHere(lineOf(words), { ...quiet, ...env });

  it('writes, checks and carries out a first run; a second time it overwrites nothing', async () => {
    const file = join(directory, `${randomUUID()}.yaml`);
    const words = [remote, '--harness', 'demo', '--sandbox', 'direct', '--port', '0'];
    const first = await runCliCommand(lineOf([...words, '--config', file]), quiet);
    expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/PENDING|INPROGRESS/)]);
    expect(first.stdout).toMatch(
      /Wrote .*✓ agent demo.*state +SUCCEEDED.*\n {2}runlink serve --data \S+ --config \S+ --port [1-9]/s,
    );
    const before = await readFile(file, 'utf8');
    const second = await init([...words, '--config', file]);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('there already')]);
    expect(await readFile(file, 'utf8')).toBe(before);
    const ignored = await readFile(join(directory, 'data/.gitignore'), 'utf8');
    expect(ignored).toBe('*\n');
    expect(execFileSync('git', ['--git-dir', remote, 'branch'], { encoding: 'utf8' })).toBe(
      '* main\n',
    );
  });

  it('says what is missing, and starts nothing then', async () => {
    const file = join(directory, `${randomUUID()}.yaml`);
    const words = ['acme/web', '--harness', 'claude', '--sandbox', 'direct', '--config', file];
    const { code, stdout } = await init(words, { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /✗ agent claude.*npm install -g.*Fix what is marked.*: runlink init 'acme\/web' --harness claude --force --config \S+\.yaml --sandbox direct\nor: runlink serve --data \S+ --config \S+ --sandbox direct\n/s,
    );
    const byNpx = await init([...words, '--force'], { npm_command: 'exec', ANTHROPIC_API_KEY: '' });
    expect(byNpx.stdout).toMatch(/: npx runlink init .*\nor: npx runlink serve /);
    const wrong = await init([...words, '--force', '--key-variable', 'MY_KEY']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('ANTHROPIC_API_KEY')]);
    const unnamed = await init(['--config', join(directory, 'x.yaml')], { GIT_DIR: '/nowhere' });
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('owner/name')]);
  });
});
