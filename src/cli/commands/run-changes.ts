import type { Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import type { Client } from '../../client/connect.ts';
import type { LogEvent } from '../../contract/entry.ts';
import { pullRequestsOf } from '../output/run-text.ts';
import { paint, type Screen, type Style } from '../output/screen.ts';
import { renderList } from '../output/table.ts';
import { clean } from '../output/text.ts';
import { findRunId } from '../remote/find.ts';
import { git, gitRemotes } from '../remote/git.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';

type Changes = Extract<LogEvent, { type: 'changes' }>;

/** What the run has changed last, as git saw it. */
async function changesOf(client: Client, runId: string): Promise<Changes> {
  const { entries } = await client.runs.entries(runId, { type: ['changes'], limit: 1 });
  const event = entries.flatMap((entry) => entry.events).findLast(({ type }) => type === 'changes');
  if (event?.type === 'changes') return event;
  throw new RunlinkError('not_found', 'This run has changed no files so far.');
}

const LINE_STYLES: readonly (readonly [RegExp, Style])[] = [
  [/^(diff |index |\+\+\+ |--- |similarity |rename |new file |deleted file )/, 'bold'],
  [/^@@/, 'cyan'],
  [/^\+/, 'green'],
  [/^-/, 'red'],
];

/** For people harmless and in colours; for a pipe byte by byte, so that `git apply` takes it. */
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
  word: string,
): Promise<void> {
  const changes = await changesOf(client, await findRunId(client, word));
  const { files, diff: text } = changes;
  if (options.stat || options.json) return show(changes, () => listFiles(screen, files));
  if (text === undefined)
    throw new RunlinkError('not_found', 'The diff is too long to be kept.', {
      hint: 'List the files with --stat, or get the branch: runlink runs checkout',
    });
  show(changes, () => showDiff(screen, text));
}

const listFiles = (screen: Screen, files: Changes['files']): string =>
  renderList(
    screen,
    [
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'ADDED', cell: ({ additions }) => `+${additions}` },
      { title: 'REMOVED', cell: ({ deletions }) => `-${deletions}` },
      { title: 'FILE', isHead: true, canShrink: true, cell: ({ path }) => path },
    ],
    files,
  );

/** A branch of one's own repository, set to what the run pushed. */
async function checkout({ client, show }: Remote, word: string): Promise<void> {
  const run = await client.runs.get(await findRunId(client, word));
  const pulls = pullRequestsOf(run).filter(({ branch }) => branch !== undefined);
  if (pulls.length === 0)
    throw new RunlinkError(
      'not_found',
      'This run has no pull request whose branch could be checked out.',
      {
        hint: 'Take its changes instead: runlink runs diff RUN | git apply',
      },
    );
  const remotes = await gitRemotes();
  const found = pulls.flatMap(({ url, branch = '' }) => {
    const [, owner, repo] = new URL(url).pathname.split('/');
    const remote = remotes.find(
      ({ repository }) => repository === `${owner}/${repo}`.toLowerCase(),
    );
    return remote ? [{ remote: remote.name, branch }] : [];
  });
  const [first] = found;
  if (!first)
    throw new RunlinkError(
      'not_found',
      'This is not a clone of the repository that the run worked on.',
      {
        hint: `Go to a clone of ${pulls.map(({ url }) => url.split('/pull/')[0]).join(' or ')}.`,
      },
    );
  const { remote, branch } = first;
  // A branch's name was chosen elsewhere: it must be one, and is never read as an option.
  await git('check-ref-format', '--branch', branch);
  const tracking = `refs/remotes/${remote}/${branch}`;
  await git('fetch', '--quiet', remote, `+refs/heads/${branch}:${tracking}`);
  const exists = await git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(
    () => '',
  );
  if (exists) {
    await git('switch', '--quiet', '--end-of-options', branch);
    await git('merge', '--quiet', '--ff-only', tracking);
  } else
    await git(
      'switch',
      '--quiet',
      '--track',
      '-c',
      branch,
      '--end-of-options',
      `${remote}/${branch}`,
    );
  show({ branch, remote }, () => `On branch ${clean(branch)}, as the run pushed it to ${remote}.`);
}

export function addRunChanges(runs: Command): void {
  remoteCommand<{ stat?: boolean }>(runs.command('diff <run>'), 'what the run changed', diff)
    .option('--stat', 'the files alone')
    .addHelpText('after', '\nExample:\n  $ runlink runs diff @last | git apply');
  remoteCommand(
    runs.command('checkout <run>'),
    'switch to the branch of the run’s pull request',
    checkout,
  );
}
