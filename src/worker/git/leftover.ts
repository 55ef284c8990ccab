import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunClone } from './clone.ts';
import { git } from './git.ts';

export interface CommitAuthor {
  name: string;
  email: string;
}

export interface Leftover {
  /** The commit to build on. */
  head: string;
  /** Tree of the working directory. */
  tree: string;
  /** The same after the set-up commands: what has not changed since is not the agent's work. */
  setupTree: string | undefined;
}

/**
 * Commits what the agent left uncommitted on top of its last commit, and returns the new head; the
 * same head if there was nothing.
 */
export async function commitLeftover(
  clone: RunClone,
  left: Leftover,
  message: string,
  author: CommitAuthor,
): Promise<string> {
  const own = { gitDir: clone.gitDir };
  const tree = await agentsTree(clone, left);
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
      // With the current time, a second try after a crash would make another commit.
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    },
  });
  return sha.trim();
}

/**
 * Tree of the working directory without what the set-up commands left there and the agent did not
 * touch.
 */
export async function agentsTree(clone: RunClone, left: Leftover): Promise<string> {
  return left.setupTree === undefined ? left.tree : await graft(clone, left, left.setupTree);
}

/** The head's tree with the paths that changed since the set-up. */
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
