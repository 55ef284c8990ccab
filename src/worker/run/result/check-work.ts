import type { RunClone } from '../../git/clone.ts';
import { git } from '../../git/git.ts';
import { isRefusal, refuse } from './refuse.ts';

/** More files and directories than any repository has; a tree can name the same one over and over (a "git bomb"). */
const FILES_MAX = 1_000_000;
/** Longest path that Linux takes. */
const PATH_MAX_BYTES = 4096;

/** What an agent made of a clone, in the worker's own repository. */
export interface Work {
  /** The agent's last commit, or the base where it made none. */
  headSha: string;
  /** A tree of everything in the working directory that is not ignored. */
  treeSha: string;
  /** The working directory differs from the last commit. */
  dirty: boolean;
}

/**
 * Takes a commit and a tree for what a run made once they are in the worker's repository, whole, of a
 * bounded size, and the commit goes on from where work began. Throws `result_refused`.
 */
export async function checkWork(
  { gitDir, baseSha }: RunClone,
  said: { head: string; tree: string },
): Promise<Work> {
  const [headSha, treeSha] = await Promise.all([
    resolve(gitDir, said.head, 'commit'),
    resolve(gitDir, said.tree, 'tree'),
  ]);
  const [headTree] = await Promise.all([
    resolve(gitDir, headSha, 'tree'),
    assertDescends(gitDir, baseSha, headSha),
  ]);
  await Promise.all([...new Set([headTree, treeSha])].map((tree) => assertBounded(gitDir, tree)));
  return { headSha, treeSha, dirty: treeSha !== headTree };
}

async function resolve(gitDir: string, sha: string, type: 'commit' | 'tree'): Promise<string> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${sha}^{${type}}`], {
    gitDir,
  }).catch(() => refuse(`it names a ${type} that it does not contain`));
  return found.trim();
}

async function assertDescends(gitDir: string, baseSha: string, headSha: string): Promise<void> {
  const range = ['merge-base', '--is-ancestor', baseSha, headSha];
  await git(range, { gitDir }).catch(() =>
    refuse('its history does not go on from the commit that the run was given'),
  );
}

async function assertBounded(gitDir: string, tree: string): Promise<void> {
  const names = new NameCounter();
  const options = { gitDir, read: (chunk: Buffer) => names.read(chunk) };
  await git(['ls-tree', '-r', '-t', '-z', '--name-only', '--full-tree', tree], options).catch(
    (error: unknown) => refuse(isRefusal(error) ? error : 'its directories cannot be read'),
  );
}

/** Counts names that end with NUL. */
class NameCounter {
  private names = 0;
  private begun = 0;

  read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      this.checkLength(end - from);
      this.names += 1;
      this.begun = 0;
      from = end + 1;
    }
    this.checkLength(chunk.length - from);
    this.begun += chunk.length - from;
    if (this.names > FILES_MAX) refuse(`it has more than ${FILES_MAX} files`);
  }

  private checkLength(bytes: number): void {
    if (this.begun + bytes > PATH_MAX_BYTES) refuse('a path in it is too long');
  }
}
