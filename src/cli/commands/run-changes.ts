import type { Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import type { Client } from '../../client/connect.ts';
import type { LogEvent } from '../../contract/entry.ts';
import { workerEvent } from '../../contract/event.ts';
import type { RunRead } from '../../contract/run.ts';
import { pullRequestsOf } from '../output/run-text.ts';
import { paint, type Screen, type Style } from '../output/screen.ts';
import { renderList, type Column } from '../output/table.ts';
import { clean } from '../output/text.ts';
import { gitHere, gitRemotes } from '../remote/git.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';

type Changes = Extract<LogEvent, { type: 'changes' }>;

const LINE_STYLES: readonly (readonly [RegExp, Style])[] = [
  [/^(diff |index |\+\+\+ |--- |similarity |rename |new file |deleted file )/, 'bold'],
  [/^@@/, 'cyan'],
  [/^\+/, 'green'],
  [/^-/, 'red'],
];

const FILE_COLUMNS: readonly Column<Changes['files'][number]>[] = [
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'ADDED', cell: ({ additions }) => `+${additions}` },
  { title: 'REMOVED', cell: ({ deletions }) => `-${deletions}` },
  { title: 'FILE', isHead: true, canShrink: true, cell: ({ path }) => path },
];

export function addRunChanges(runs: Command): void {
  const changes = workerEvent.options.find(({ shape }) => shape.type.value === 'changes');
  remoteCommand(runs, 'diff <run>', 'what the run changed', diff, Object.keys(changes?.shape ?? {}))
    .option('--stat', 'the files alone')
    .addHelpText('after', '\nExample:\n  $ runlink runs diff @last | git apply');
  remoteCommand(
    runs,
    'checkout <run>',
    'switch to the branch of the run’s pull request',
    checkout,
    ['branch', 'remote'],
  );
}

/** The run's newest changes, as a git diff. */
async function changesOf(client: Client, runId: string): Promise<Changes> {
  const { entries } = await client.runs.entries(runId, { type: ['changes'], limit: 1 });
  const event = entries.flatMap((entry) => entry.events).findLast(({ type }) => type === 'changes');
  if (event?.type === 'changes' && event.files.length > 0) return event;
  throw new RunlinkError('not_found', 'This run has changed no files so far.');
}

/**
 * Prints the diff: cleaned and in colour on a terminal, byte by byte into a pipe, so that `git
 * apply` accepts it.
 */
function showDiff(screen: Screen, diff: string): string {
  if (!screen.isTerminal) return diff.replace(/\n$/, '');
  return clean(diff.trimEnd())
    .split('\n')
    .map((line) => {
      const style = LINE_STYLES.find(([start]) => start.test(line))?.[1];
      return style ? paint(screen, style, line) : line;
    })
    .join('\n');
}

async function diff(
  { client, show, screen, options }: Remote<{ stat?: boolean }>,
  id: string,
): Promise<void> {
  const changes = await changesOf(client, id);
  const { files, diff: text } = changes;
  if (options.stat || options.json)
    return show(changes, () => renderList(screen, FILE_COLUMNS, files));
  if (text === undefined)
    throw new RunlinkError('not_found', 'The diff is too long to be kept.', {
      hint: 'List the files with --stat, or get the branch: runlink runs checkout',
    });
  show(changes, () => showDiff(screen, text));
}

/** Sets a branch of the user's own repository to what the run pushed. */
async function checkout({ client, show }: Remote, id: string): Promise<void> {
  const { branch, remote } = await findBranch(await client.runs.get(id));
  // The name comes from elsewhere: it must be a valid branch, and is never taken for an option.
  await gitHere('check-ref-format', '--branch', branch);
  const tracking = `refs/remotes/${remote}/${branch}`;
  await gitHere('fetch', '--quiet', remote, `+refs/heads/${branch}:${tracking}`);
  const known = gitHere('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  if (await known.catch(() => '')) {
    await gitHere('switch', '--quiet', '--end-of-options', branch);
    await gitHere('merge', '--quiet', '--ff-only', tracking);
  } else {
    const create = ['switch', '--quiet', '--track', '-c', branch, '--end-of-options'];
    await gitHere(...create, `${remote}/${branch}`);
  }
  show({ branch, remote }, () => `On branch ${clean(branch)}, as the run pushed it to ${remote}.`);
}

/** A branch of the run's pull requests in the current repository, and the remote that has it. */
async function findBranch(run: RunRead): Promise<{ branch: string; remote: string }> {
  const remotes = await gitRemotes();
  const pulls = pullRequestsOf(run).filter(({ branch }) => branch !== undefined);
  for (const { url, branch = '' } of pulls) {
    const place = new URL(url).pathname.split('/').slice(1, 3).join('/').toLowerCase();
    const remote = remotes.find(({ repository }) => repository === place);
    if (remote) return { branch, remote: remote.name };
  }
  if (pulls.length === 0)
    throw new RunlinkError('not_found', 'This run has no pull request to check out.', {
      hint: 'Take its changes instead: runlink runs diff RUN | git apply',
    });
  const places = pulls.map(({ url }) => url.split('/pull/')[0]).join(' or ');
  throw new RunlinkError('not_found', 'The run worked on another repository than this one.', {
    hint: `Go to a clone of ${places}.`,
  });
}
