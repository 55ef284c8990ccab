import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import type { RunClone } from './clone.ts';
import { git } from './git.ts';

/** Where the worker keeps the agent's last commit in its own repository. */
const HEAD_REF = 'refs/runlink/head';

export interface Identity {
  name: string;
  email: string;
}

export interface Collected {
  /** The agent's last commit, or the base where it made none. */
  headSha: string;
  /** A tree of everything in the working directory that is not ignored. */
  treeSha: string;
  /** The working directory differs from the last commit. */
  dirty: boolean;
}

/**
 * Takes what the agent made into the worker's repository. No git command runs under the clone's own
 * configuration but the one that serves the fetch, and that one can start no program and read no
 * other repository. Throws `bad_workspace` where the clone was turned into something else.
 */
export async function collect(clone: RunClone): Promise<Collected> {
  await assertPlainClone(clone.workTree);
  const { gitDir, workTree } = clone;
  await git(
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--force',
      '--',
      workTree,
      `+HEAD:${HEAD_REF}`,
    ],
    { gitDir, transports: ['file'] },
  );
  const headSha = (await git(['rev-parse', HEAD_REF], { gitDir })).trim();
  const treeSha = await worktreeTree(clone, headSha);
  const headTree = (await git(['rev-parse', `${headSha}^{tree}`], { gitDir })).trim();
  return { headSha, treeSha, dirty: treeSha !== headTree };
}

/** The working directory as a tree, written with an index of the worker's own. */
export async function worktreeTree(clone: RunClone, fromSha: string): Promise<string> {
  const { gitDir, workTree } = clone;
  const indexFile = join(gitDir, 'runlink-index');
  const own = { gitDir, workTree, indexFile, cwd: workTree };
  await rm(indexFile, { force: true });
  await git(['read-tree', fromSha], own);
  await git(['add', '--all', '--', '.'], own);
  return (await git(['write-tree'], own)).trim();
}

async function assertPlainClone(workTree: string): Promise<void> {
  const dotGit = await lstat(join(workTree, '.git')).catch(() => undefined);
  if (!dotGit?.isDirectory())
    throw new RunlinkError('bad_workspace', 'The repository is gone from the workspace.');
  const objects = await lstat(join(workTree, '.git/objects')).catch(() => undefined);
  const borrowed = await lstat(join(workTree, '.git/objects/info/alternates')).catch(() => null);
  if (!objects?.isDirectory() || borrowed)
    throw new RunlinkError('bad_workspace', 'The clone reaches into another repository.');
}

export interface Leftover {
  /** Commit to build on. */
  head: string;
  /** The working directory. */
  tree: string;
  /** The working directory as the set-up commands left it: what is the same there is not the agent's. */
  setupTree: string | undefined;
}

/** Commits what the agent left uncommitted on top of its last commit; answers that where there is nothing. */
export async function commitPaths(
  clone: RunClone,
  left: Leftover,
  message: string,
  author: Identity,
): Promise<string> {
  const own = { gitDir: clone.gitDir };
  const tree = left.setupTree === undefined ? left.tree : await graft(clone, left, left.setupTree);
  const headTree = (await git(['rev-parse', `${left.head}^{tree}`], own)).trim();
  if (tree === headTree) return left.head;
  const when = await git(['show', '-s', '--format=%ct', left.head], own);
  const date = `@${when.trim()} +0000`;
  const sha = await git(['commit-tree', tree, '-p', left.head, '-F', '-'], {
    ...own,
    input: message,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      // A date of its own would make a second try after a crash another commit.
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    },
  });
  return sha.trim();
}

/** The head's tree with those paths that changed since the set-up. */
async function graft(clone: RunClone, left: Leftover, setupTree: string): Promise<string> {
  const indexFile = join(clone.gitDir, 'runlink-index');
  const own = { gitDir: clone.gitDir, indexFile };
  await rm(indexFile, { force: true });
  await git(['read-tree', left.head], own);
  const changed = await git(
    ['diff-tree', '-r', '-z', '--no-renames', setupTree, left.tree, '--'],
    own,
  );
  const fields = changed.split('\0');
  const lines: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , sha = ''] = (fields[at] ?? '').slice(1).split(' ');
    lines.push(`${mode} ${sha}\t${fields[at + 1] ?? ''}\0`);
  }
  await git(['update-index', '-z', '--index-info'], { ...own, input: lines.join('') });
  return (await git(['write-tree'], own)).trim();
}
