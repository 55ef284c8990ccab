import type { RunClone } from '../../git/clone.ts';
import { git, type GitOptions } from '../../git/git.ts';
import { isRefusal, refuseResult } from './refuse.ts';

/** More than any repository has; a tree can name the same entry again and again (a "git bomb"). */
const FILES_MAX = 1_000_000;
/** Longest path that Linux allows. */
const PATH_MAX_BYTES = 4096;

/** What an agent made of a clone, as objects in the worker's own repository. */
export interface Work {
  /** The agent's last commit; the base if it made none. */
  headSha: string;
  /** A tree of everything in the working directory that is not ignored. */
  treeSha: string;
  /** Whether the working directory differs from the last commit. */
  dirty: boolean;
}

/**
 * Accepts a commit and a tree as a run's work if they are complete in the worker's repository,
 * bounded in size, and the commit descends from where work began. Throws `result_refused`.
 */
export async function checkWork(
  { gitDir, baseSha }: RunClone,
  said: { head: string; tree: string },
  signal?: AbortSignal,
): Promise<Work> {
  const options = { gitDir, signal };
  const [headSha, treeSha] = await Promise.all([
    resolve(options, said.head, 'commit'),
    resolve(options, said.tree, 'tree'),
  ]);
  const [headTree] = await Promise.all([
    resolve(options, headSha, 'tree'),
    assertDescends(options, baseSha, headSha),
  ]);
  await Promise.all([...new Set([headTree, treeSha])].map((tree) => assertBounded(options, tree)));
  return { headSha, treeSha, dirty: treeSha !== headTree };
}

/**
 * Asks git about the worker's repository. If git fails, the result is refused, unless the call was
 * aborted.
 */
async function ask(args: string[], options: GitOptions, refusal: string): Promise<string> {
  try {
    return await git(args, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return refuseResult(isRefusal(error) ? error : refusal);
  }
}

async function resolve(options: GitOptions, sha: string, type: 'commit' | 'tree'): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', `${sha}^{${type}}`];
  return (await ask(args, options, `it names a ${type} that it does not contain`)).trim();
}

async function assertDescends(
  options: GitOptions,
  baseSha: string,
  headSha: string,
): Promise<void> {
  const refusal = 'its history does not go on from the commit that the run was given';
  await ask(['merge-base', '--is-ancestor', baseSha, headSha], options, refusal);
}

async function assertBounded(options: GitOptions, tree: string): Promise<void> {
  const names = new NameCounter();
  const args = ['ls-tree', '-r', '-t', '-z', '--name-only', '--full-tree', tree];
  const read = (chunk: Buffer): void => names.read(chunk);
  await ask(args, { ...options, read }, 'its directories cannot be read');
}

/** Counts names that end with NUL. */
class NameCounter {
  #names = 0;
  #begun = 0;

  read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      this.#checkLength(end - from);
      this.#names += 1;
      this.#begun = 0;
      from = end + 1;
    }
    this.#checkLength(chunk.length - from);
    this.#begun += chunk.length - from;
    if (this.#names > FILES_MAX) refuseResult(`it has more than ${FILES_MAX} files`);
  }

  #checkLength(bytes: number): void {
    if (this.#begun + bytes > PATH_MAX_BYTES) refuseResult('a path in it is too long');
  }
}
