import { runCommand } from './demo-run.ts';
import type { Job } from './demo-job.ts';

/** Files that git knows have been changed, or new ones were added. */
export async function hasChanges(job: Job): Promise<boolean> {
  const { text } = await runCommand(job, ['git', 'status', '--porcelain']);
  return text.trim() !== '';
}

/** Commits everything, if there is anything. */
export async function commit(job: Job, message: string): Promise<void> {
  if (!(await hasChanges(job))) return;
  await job.screen.act({ kind: 'execute', title: `git commit -m "${message}"` }, async () => {
    await runCommand(job, ['git', 'add', '--all']);
    return runCommand(job, ['git', 'commit', '--quiet', '-m', message]);
  });
}
