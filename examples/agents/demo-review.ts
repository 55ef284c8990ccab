import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './demo-run.ts';
import type { Job } from './demo-job.ts';

/** Whether the request is for a review that is left as review.json. */
export function wantsReview(request: string): boolean {
  return /^Review this pull request\b/.test(request.trim()) && request.includes('review.json');
}

/** Reviews without understanding: one remark on the first line that the newest commit adds. */
export async function reviewChanges(job: Job, artifacts: string): Promise<string> {
  const { screen } = job;
  const { text: output } = await screen.act({ kind: 'read', title: 'git diff HEAD~1 HEAD' }, () =>
    runCommand(job, ['git', 'diff', '--unified=0', 'HEAD~1', 'HEAD']),
  );
  const [, path] = /^\+\+\+ b\/(.*)$/m.exec(output) ?? [];
  const [, line] = /^@@ -\S+ \+(\d+)/m.exec(output) ?? [];
  const [, added] = /^\+(?!\+\+)(.*)$/m.exec(output) ?? [];
  const comment = {
    path,
    line: Number(line),
    text: 'This is the line that changed. I have no model, so I cannot judge it.',
    ...(added !== undefined && { suggestion: added }),
  };
  const review = {
    summary: 'I am the demo agent: I looked at the newest commit and remark on what it changed.',
    comments: path !== undefined && line !== undefined ? [comment] : [],
  };
  await mkdir(artifacts, { recursive: true });
  await writeFile(join(artifacts, 'review.json'), JSON.stringify(review, null, 2));
  return 'I left review.json.';
}
