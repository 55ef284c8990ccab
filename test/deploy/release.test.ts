import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
interface Job {
  needs?: string | string[];
  environment?: string;
  permissions?: Record<string, string>;
  steps: { name?: string; uses?: string; run?: string; with?: Record<string, unknown> }[];
}
const text = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
const { on, jobs } = parse(text) as { on: { push: { tags: string[] } }; jobs: Record<string, Job> };

/** All commands of a job, as bash gets them. */
const commandsOf = (job: Job | undefined): string[] =>
  job?.steps.flatMap(({ run }) => run ?? []) ?? [];
const allRun = (name: string): string => commandsOf(jobs[name]).join('\n');

/** A repository with a version, a CHANGELOG, a tag, and a remote to push to. */
function scene(version: string, changelog: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'runlink-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...words], {
      cwd: folder,
      stdio: 'pipe',
    });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  git('init', '-q', '-b', 'main');
  execFileSync('cp', ['--parents', '-r', 'deploy/release', folder], { cwd: ROOT });
  git('add', '-A');
  git('commit', '-qm', 'Release');
  git('tag', `v${version}`);
  execFileSync('git', ['init', '-q', '--bare', join(folder, 'origin.git')]);
  git('remote', 'add', 'origin', join(folder, 'origin.git'));
  return folder;
}

const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n- not yet\n\n## 1.2.3 (2026-12-01)\n\n### New\n\n- this\n\n## 1.2.2\n\n- old\n';

describe('the release workflow', () => {
  it('goes from the tag through all tests to what is published, step by step', () => {
    expect(on.push.tags).toEqual(['v[0-9]+.[0-9]+.[0-9]+']);
    expect(Object.keys(jobs)).toEqual(['test', 'npm', 'image', 'publish']);
    expect([jobs['npm']?.needs, jobs['image']?.needs, jobs['publish']?.needs]).toEqual([
      'test',
      'test',
      ['npm', 'image'],
    ]);
    expect(allRun('test')).toMatch(/notes\.mjs[\s\S]*\.ci\/run[\s\S]*check:dist/);
    expect(allRun('npm')).toContain('npm publish --provenance');
    expect(allRun('image')).toMatch(/--sbom=true --provenance=mode=max/);
    expect(JSON.stringify(jobs['image'])).toContain('attest-build-provenance@');
  });

  it('gives each job only the rights that it uses, behind an environment, and pins every action', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    const writers = Object.entries(jobs).filter(([name]) => name !== 'test');
    for (const [, { environment }] of writers) expect(environment).toBe('release');
    expect(jobs['test']?.permissions).toBeUndefined();
    expect(jobs['npm']?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(jobs['publish']?.permissions).toEqual({ contents: 'write' });
    const used = Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ uses }) => uses ?? []),
    );
    for (const one of used) expect(one).toMatch(/@[0-9a-f]{40}$/);
    expect(commandsOf(jobs['publish']).join()).not.toContain('${{');
  });

  it('publishes, when it is played dry: the tag moves, and the notes are those of CHANGELOG', async () => {
    const folder = scene('1.2.3', CHANGELOG);
    const bin = join(folder, 'bin');
    execFileSync('mkdir', [bin]);
    // What would leave this machine only writes down how it was called.
    for (const program of ['gh', 'npm', 'docker'])
      writeFileSync(
        join(bin, program),
        `#!/bin/sh\necho "${program} $*" >> ${join(folder, 'calls')}\n`,
        {
          mode: 0o755,
        },
      );
    const sha = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: folder,
      GITHUB_REF_NAME: 'v1.2.3',
      GITHUB_SHA: sha,
    };
    for (const command of [...commandsOf(jobs['npm']), ...commandsOf(jobs['publish'])])
      await run('bash', ['-eo', 'pipefail', '-c', command], { cwd: folder, env });
    const calls = readFileSync(join(folder, 'calls'), 'utf8');
    expect(calls).toContain('npm publish --provenance --access public');
    expect(calls).toContain('gh release create v1.2.3 --verify-tag');
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('### New\n\n- this\n');
    const tags = execFileSync('git', ['ls-remote', '--tags', 'origin'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(tags).toBe(`${sha}\trefs/tags/v1\n`);
  });

  it('names the image in lower case, whoever owns the repository', async () => {
    const folder = scene('1.2.3', CHANGELOG);
    const [name = ''] = commandsOf(jobs['image']);
    const file = join(folder, 'env');
    const env = { ...process.env, GITHUB_REPOSITORY: 'Acme/Runlink', GITHUB_ENV: file };
    await run('bash', ['-eo', 'pipefail', '-c', name], { cwd: folder, env });
    expect(readFileSync(file, 'utf8')).toBe('IMAGE=ghcr.io/acme/runlink\n');
    expect(text).toContain('subject-name: ${{ env.IMAGE }}');
  });

  it.each([
    ['a tag of another version', '1.2.4', CHANGELOG, 'is not v1.2.4'],
    ['a version without notes', '1.2.3', '# Changelog\n\n## Unreleased\n', 'no section'],
  ])('stops at %s', async (_, version, changelog, reason) => {
    const folder = scene(version, changelog);
    const [check = ''] = commandsOf(jobs['test']);
    const env = { PATH: process.env['PATH'], GITHUB_REF_NAME: 'v1.2.3' };
    await expect(run('bash', ['-c', check], { cwd: folder, env })).rejects.toMatchObject({
      stderr: expect.stringContaining(reason),
    });
  });
});
