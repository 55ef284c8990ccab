import { RunlinkError } from '../../base/error.ts';
import type { RunClone } from './clone.ts';
import { git } from './git.ts';

/** More commits are not brought over one by one. */
const COMMITS_MAX = 500;

/**
 * The run's commits up to `head`, put on top of another one, each with its message, author and times. What is
 * there already is left out. The same commits always become the same ones. Throws `branch_moved` where one
 * conflicts, or is a merge.
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

/** The tree of `tip` with what a commit changed against its parent. */
async function mergedTree(
  gitDir: string,
  { commit, parent, tip }: { commit: string; parent: string; tip: string },
): Promise<string> {
  // Commits of their own, whose common ancestor is the parent's tree: git before 2.40 takes no `--merge-base`.
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

/** The commit with another tree and parent, and without the signature that holds for neither. */
async function moved(
  gitDir: string,
  commit: string,
  { tree, parent }: { tree: string; parent: string },
): Promise<string> {
  const source = await git(['cat-file', 'commit', commit], { gitDir });
  // What is in no text cannot be taken apart as text without harm.
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
