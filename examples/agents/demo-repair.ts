import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { runCommand } from './demo-run.ts';
import type { Job } from './demo-job.ts';

/** The file under trial and how it was before, so that an agent started anew can put it back. */
const TRIAL = join(homedir(), '.runlink-demo', 'trial.json');
const TRIALS_MAX = 60;

/** One-token changes that repair the usual off-by-one mistakes. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/<=/g, '<'],
  [/>=/g, '>'],
  [/<(?![=<>])/g, '<='],
  [/(?<![=>])>(?![=>])/g, '>='],
  [/ \+ 1\b/g, ''],
  [/ - 1\b/g, ''],
  [/\.length\b/g, '.length - 1'],
  [/ = 1\b/g, ' = 0'],
  [/ = 0\b/g, ' = 1'],
];

export interface Repair {
  path: string;
  line: number;
  before: string;
  after: string;
}

interface Candidate extends Repair {
  text: string;
}

/** The project's own test command, or Node's test runner. */
export async function testCommand(cwd: string): Promise<string> {
  const json = await readFile(join(cwd, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(json) as { scripts?: { test?: string } };
  return scripts?.test ?? 'node --test';
}

/** Puts back what a killed agent was just trying. */
export async function restoreTrial(cwd: string): Promise<void> {
  const stored = await readFile(TRIAL, 'utf8').catch(() => undefined);
  if (stored === undefined) return;
  const { path, text } = JSON.parse(stored) as { path: string; text: string };
  if (path.startsWith(`${cwd}/`)) await writeFile(path, text);
  await rm(TRIAL, { force: true });
}

/**
 * Tries one small change after the other until the tests pass; puts the code back if none helps.
 */
export async function repair(job: Job, command: string): Promise<Repair | undefined> {
  for (const path of await testedFiles(job)) {
    const original = await readFile(path, 'utf8');
    await mkdir(dirname(TRIAL), { recursive: true });
    await writeFile(TRIAL, JSON.stringify({ path, text: original }));
    for (const candidate of candidates(relative(job.cwd, path), original)) {
      if (!(await helps(job, command, path, original, candidate))) continue;
      await rm(TRIAL, { force: true });
      return candidate;
    }
    await writeFile(path, original);
    await rm(TRIAL, { force: true });
  }
  return undefined;
}

async function helps(
  job: Job,
  command: string,
  path: string,
  original: string,
  candidate: Candidate,
): Promise<boolean> {
  const title = `Try \`${candidate.after}\` in ${candidate.path}:${candidate.line}`;
  const { passed } = await job.screen.act({ kind: 'edit', title, paths: [path] }, async () => {
    await writeFile(path, candidate.text);
    const { exitCode } = await runCommand(job, ['sh', '-c', command]);
    const text = exitCode === 0 ? 'The tests pass with this.' : 'The tests still fail.';
    const diff = { path, oldText: original, newText: candidate.text };
    return exitCode === 0 ? { text, diff, passed: true } : { text, passed: false };
  });
  return passed;
}

function candidates(path: string, text: string): Candidate[] {
  const lines = text.split('\n');
  const found = lines.flatMap((line, index) =>
    /^\s*(?:\/\/|\*|import\b|export \{)/.test(line)
      ? []
      : changesOf(line).map((after): Candidate => {
          const changed = lines.with(index, after).join('\n');
          return { path, line: index + 1, before: line.trim(), after: after.trim(), text: changed };
        }),
  );
  return found.slice(0, TRIALS_MAX);
}

function changesOf(line: string): string[] {
  return RULES.flatMap(([pattern, replacement]) =>
    [...line.matchAll(pattern)].map(
      (match) =>
        line.slice(0, match.index) + replacement + line.slice(match.index + match[0].length),
    ),
  );
}

/** The project's files that its tests import, in the order of the tests. */
async function testedFiles(job: Job): Promise<string[]> {
  const { text } = await runCommand(job, ['git', 'ls-files']);
  const tests = text.split('\n').filter((name) => /(?:^|[./])(?:test|spec)s?[./].*js$/.test(name));
  const found = new Set<string>();
  for (const test of tests) {
    const file = join(job.cwd, test);
    const source = await readFile(file, 'utf8');
    for (const [, target] of source.matchAll(/from\s+['"](\.[^'"]+)['"]/g))
      found.add(resolve(dirname(file), target ?? ''));
  }
  return [...found].filter((path) => path.startsWith(`${job.cwd}/`));
}
