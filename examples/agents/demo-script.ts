import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { addChangelogLine } from './demo-changelog.ts';
import { commit, hasChanges } from './demo-git.ts';
import type { Job } from './demo-job.ts';
import { repair, testCommand, restoreTrial } from './demo-repair.ts';
import { reviewChanges, wantsReview } from './demo-review.ts';
import { runCommand } from './demo-run.ts';
import type { Shown } from './demo-screen.ts';

/**
 * Does what the request asks for, as far as the script goes. Doing it a second time changes
 * nothing.
 */
export async function work(job: Job): Promise<void> {
  const { screen, request } = job;
  if (await isEmpty(job.cwd)) {
    await screen.say(
      'I am the demo agent, a script without a model. The workspace is empty: there is nothing for me to work on. Choose an environment with a repository.',
    );
    return;
  }
  const artifacts = process.env['RUNLINK_ARTIFACTS'];
  if (wantsReview(request) && artifacts !== undefined) {
    await screen.say(await reviewChanges(job, artifacts));
    return;
  }
  const wantsChangelog = /change[\s-]?log/i.test(request);
  const wantsFix = /\b(?:fix|repair|fail|failing|bug|tests?)\b/i.test(request);
  const done: string[] = [];
  if (wantsFix || !wantsChangelog) done.push(await fixTests(job));
  if (wantsChangelog) done.push(await addChangelogLine(job));
  await screen.say(done.join('\n\n'));
}

async function isEmpty(cwd: string): Promise<boolean> {
  const names = await readdir(cwd);
  return names.filter((name) => name !== '.git').length === 0;
}

const LOOK = 'Look at the repository';
const TEST = 'Run the tests';
const COMMIT = 'Commit';
const STEPS = [LOOK, TEST, 'Repair what fails', 'Run the tests again', COMMIT] as const;

async function fixTests(job: Job): Promise<string> {
  const { screen, cwd } = job;
  /** Where the rest of the plan is not needed, what was done is all of it. */
  const planned = (...steps: readonly string[]): Promise<void> => screen.plan(steps, steps.length);
  await screen.say(
    'I am the demo agent: I follow a script and have no model, but I really edit, test and commit. I look at the repository first.',
  );
  await screen.plan(STEPS, 0);
  await restoreTrial(cwd);
  await screen.act({ kind: 'search', title: 'git ls-files' }, () =>
    runCommand(job, ['git', 'ls-files']),
  );
  if (!(await exists(join(cwd, 'package.json')))) {
    await planned(LOOK);
    return 'There is no package.json here. My script only knows how to run the tests of a Node project.';
  }
  await screen.plan(STEPS, 1);
  const command = await testCommand(cwd);
  const first = await runTests(job, command);
  if (first.exitCode === 0) {
    if (!(await hasChanges(job))) {
      await planned(LOOK, TEST);
      return 'All tests pass already, so I changed nothing.';
    }
    await commit(job, 'Fix the failing test');
    await planned(LOOK, TEST, COMMIT);
    return 'All tests pass. I committed what I had changed before.';
  }
  await screen.plan(STEPS, 2);
  await screen.say('A test fails. I try small changes in the code it imports, one at a time.');
  const repaired = await repair(job, command);
  if (!repaired) {
    await planned(LOOK, TEST, 'Try small changes');
    return 'A test fails, and none of the one-token changes my script knows repairs it. I left the code as it was.';
  }
  await screen.plan(STEPS, 3);
  await runTests(job, command);
  await screen.plan(STEPS, 4);
  await commit(job, `Fix off-by-one in ${repaired.path}`);
  await screen.plan(STEPS, 5);
  return `Fixed: in \`${repaired.path}\`, line ${repaired.line}, \`${repaired.before}\` is now \`${repaired.after}\`. All tests pass, and the change is committed.`;
}

function runTests(job: Job, command: string): Promise<Shown> {
  return job.screen.act({ kind: 'execute', title: command }, () =>
    runCommand(job, ['sh', '-c', command]),
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
