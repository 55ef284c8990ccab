import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commit } from './demo-git.ts';
import { runCommand } from './demo-run.ts';
import type { Job } from './demo-job.ts';

const FILE = 'CHANGELOG.md';
const HEADING = '## Unreleased';

/**
 * Adds a line about the last change to the changelog and commits it; a second time it is there
 * already.
 */
export async function addChangelogLine(job: Job): Promise<string> {
  const path = join(job.cwd, FILE);
  const before = await readFile(path, 'utf8').catch(() => '');
  const line = `- ${await lastChange(job)}`;
  if (before.includes(line)) {
    await commit(job, 'Add a changelog line');
    return `The changelog says so already: \`${line}\`.`;
  }
  const after = withLine(before, line);
  await job.screen.act({ kind: 'edit', title: `Edit ${FILE}`, paths: [path] }, async () => {
    await writeFile(path, after);
    return { text: `Added: ${line}`, diff: { path, oldText: before, newText: after } };
  });
  await commit(job, 'Add a changelog line');
  return `Added to ${FILE} and committed: \`${line}\`.`;
}

/** The subject of the newest commit that is not about the changelog itself. */
async function lastChange(job: Job): Promise<string> {
  const { text } = await runCommand(job, ['git', 'log', '--format=%s', '-20']);
  const subject = text.split('\n').find((each) => each !== '' && !/changelog/i.test(each));
  return `${subject ?? 'Small changes'}.`.replace(/\.\.$/, '.');
}

function withLine(text: string, line: string): string {
  if (text.trim() === '') return `# Changelog\n\n${HEADING}\n\n${line}\n`;
  const at = text.indexOf(HEADING);
  if (at !== -1) {
    const end = at + HEADING.length;
    return `${text.slice(0, end)}\n\n${line}\n${text.slice(end).replace(/^\n+/, '')}`;
  }
  const title = /^# .*\n/.exec(text)?.[0] ?? '';
  return `${title}\n${HEADING}\n\n${line}\n${text.slice(title.length)}`;
}
