import { RunlinkError } from '../../base/error.ts';
import type { RunClone } from './clone.ts';
import { git } from './git.ts';

/** A longer history is not rebased. */
const COMMITS_MAX = 500;

/**
 * Rebases the run's commits up to `head` onto another commit, keeping each one's message, author
 * and times. Commits that change nothing there are left out. The same input always gives the same
 * commits. Throws `branch_moved` if a commit conflicts or is a merge.
 */
export async function rebase(
  { gitDir, keepSha }: Pick<RunClone, 'gitDir' | 'keepSha'>,
  head: string,
  onto: string,
): Promise<string> {
  const range = ['--reverse', '--topo-order', '--parents', head, `^${keepSha}`, '--'];
  const list = (await git(['rev-list', ...range], { gitDir })).split('\n').filter(Boolean);
  const commits = list.map((line) => line.split(' '));
  if (commits.length > COMMITS_MAX) throw misfit(`${commits.length} commits`);
  if (commits.some((shas) => shas.length !== 2)) throw misfit('a merge');
  let tip = onto;
  for (const [commit = '', parent = ''] of commits) {
    const tree = await mergedTree(gitDir, { commit, parent, tip });
    if (tree === (await treeOf(gitDir, tip))) continue;
    tip = await moved(gitDir, commit, { tree, parent: tip });
  }
  return tip;
}

/** The tree of `tip` with the change that a commit made to its parent. */
async function mergedTree(
  gitDir: string,
  { commit, parent, tip }: { commit: string; parent: string; tip: string },
): Promise<string> {
  // Makes temporary commits whose common ancestor is the parent's tree, because git before 2.40 has
  // no `--merge-base`.
  const bare = async (sha: string, ...parents: string[]): Promise<string> => {
    const tree = await treeOf(gitDir, sha);
    const words = ['commit-tree', tree, '-m', 'x', ...parents.flatMap((each) => ['-p', each])];
    return (await git(words, { gitDir, env: NOBODY })).trim();
  };
  const base = await bare(parent);
  const sides = [await bare(tip, base), await bare(commit, base)];
  const merged = await git(['merge-tree', '--write-tree', '--no-messages', ...sides], {
    gitDir,
  }).catch((error: unknown) => {
    throw misfit(commit, error);
  });
  return merged.trim();
}

const NOBODY = {
  GIT_AUTHOR_NAME: 'x',
  GIT_AUTHOR_EMAIL: 'x',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'x',
  GIT_COMMITTER_EMAIL: 'x',
  GIT_COMMITTER_DATE: '@0 +0000',
};

async function treeOf(gitDir: string, sha: string): Promise<string> {
  return (await git(['rev-parse', `${sha}^{tree}`], { gitDir })).trim();
}

/**
 * The commit with another tree and parent. Its signature is dropped, because it would no longer be
 * valid.
 */
async function moved(
  gitDir: string,
  commit: string,
  { tree, parent }: { tree: string; parent: string },
): Promise<string> {
  const source = await git(['cat-file', 'commit', commit], { gitDir });
  // A commit that is not valid UTF-8 could not be rewritten without damage.
  if (source.includes('\uFFFD')) throw misfit(commit);
  const end = source.indexOf('\n\n');
  const header = source
    .slice(0, end)
    .replace(/^tree .*$/m, `tree ${tree}`)
    .replace(/^parent .*$/m, `parent ${parent}`)
    .replaceAll(/\ngpgsig(?:-sha256)? .*(?:\n .*)*/g, '');
  const input = header + source.slice(end);
  return (await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { gitDir, input })).trim();
}

function misfit(what: string, cause?: unknown): RunlinkError {
  return new RunlinkError('branch_moved', `${what} cannot be put on top of it.`, { cause });
}
