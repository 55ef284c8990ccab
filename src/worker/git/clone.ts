import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import { git } from './git.ts';
import { startBranch, type Mirror } from './mirror.ts';
import type { GitRemote } from './remote.ts';

/**
 * A repository of a run: the agent's clone, and the worker's own repository that receives the
 * result.
 */
export interface RunClone {
  owner: string;
  name: string;
  url: string;
  /** The agent's working directory. Nothing outside the run's sandbox ever opens it. */
  workTree: string;
  /** The worker's bare repository; no agent ever sees it. */
  gitDir: string;
  /**
   * The commit that work began from. Changes are counted against it, and the result must descend
   * from it.
   */
  baseSha: string;
  /** Commits up to this one are not ours to rewrite: the base, or what the branch already had. */
  keepSha: string;
  /**
   * The branch that the pull request targets; the remote's default branch if the environment names
   * none.
   */
  baseBranch: string;
  /** Branch the work is pushed to. */
  branch: string;
  /** Number of the pull request that the run works on. */
  pull?: number | undefined;
  /** The branch belongs to that pull request, so its commits are never rewritten. */
  shared: boolean;
}

export interface CloneOrder {
  owner: string;
  name: string;
  remote: GitRemote;
  mirror: Mirror;
  workTree: string;
  gitDir: string;
  ref: string | undefined;
  /** The commit to begin at; if absent, the newest of the branch. */
  startSha?: string | undefined;
  branch: string;
  pull?: number | undefined;
  shared: boolean;
  /** An earlier execution pushed the branch, so continue from there. */
  continueBranch: boolean;
}

export interface BegunClone {
  clone: RunClone;
  /** The remote's branch that work starts from. */
  start: string;
}

/**
 * Decides where the run's work on a repository begins, and makes the worker's own repository for
 * the result.
 */
export async function beginClone(order: CloneOrder): Promise<BegunClone> {
  const { mirror, gitDir, branch } = order;
  const baseBranch = startBranch(mirror, order.ref);
  const onRemote = order.continueBranch ? await headOf(mirror.dir, branch) : undefined;
  const base = await headOf(mirror.dir, baseBranch);
  if (base === undefined)
    throw new RunlinkError('git_failed', `The repository has no branch ${baseBranch}.`);
  const first = order.startSha ?? base;
  const baseSha = onRemote === undefined ? first : await mergeBase(mirror.dir, onRemote, first);
  await makeWorkerRepository(gitDir, mirror.dir);
  const clone = {
    owner: order.owner,
    name: order.name,
    url: order.remote.url,
    workTree: order.workTree,
    gitDir,
    baseSha,
    keepSha: onRemote ?? first,
    baseBranch,
    branch,
    pull: order.pull,
    shared: order.shared,
  };
  return { clone, start: onRemote === undefined ? baseBranch : branch };
}

/** The common ancestor of two commits; the first commit itself if they have none. */
async function mergeBase(gitDir: string, one: string, other: string): Promise<string> {
  return (await git(['merge-base', one, other], { gitDir }).catch(() => one)).trim();
}

/** The commit of a branch in the mirror; undefined if the branch does not exist. */
export async function headOf(dir: string, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const shown = await git(['for-each-ref', '--format=%(objectname) %(refname)', ref], {
    gitDir: dir,
  });
  const line = shown.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line?.split(' ')[0];
}

/**
 * Empties the agent's directory and fills it from the mirror. Objects are copied, not hard-linked:
 * with links, whoever can write the clone's files could change the mirror, and with it every other
 * run. The mirror may belong to another user than the run's, and git accepts that only by a
 * configuration file (`safe.directory`). Git's example hooks are left out, because they would be
 * half of a small clone. The directory itself is kept: the agent's process may already have it as
 * its working directory.
 */
const FILL = `set -e
mirror=$1 start=$2 tree=$3 sha=$4 branch=$5 url=$6
find "$tree" -mindepth 1 -delete
GIT_CONFIG_GLOBAL=$(mktemp)
export GIT_CONFIG_GLOBAL
trap 'rm -f "$GIT_CONFIG_GLOBAL"' EXIT
git config --global safe.directory '*'
git clone --quiet --template= --local --no-hardlinks --no-checkout --branch="$start" -- "$mirror" "$tree"
cd "$tree"
mkdir .git/hooks
git remote set-url origin "$url"
git checkout --quiet -B "$branch" "$sha" --`;

/** The command that fills the agent's directory. It runs inside the run's sandbox. */
export function fillCommand({ clone, start }: BegunClone, mirror: Mirror): string[] {
  const { workTree, keepSha, branch, url } = clone;
  return ['/bin/sh', '-c', FILL, 'clone', mirror.dir, start, workTree, keepSha, branch, url];
}

/** Makes a bare repository that borrows the mirror's objects, so it takes up hardly any space. */
async function makeWorkerRepository(gitDir: string, mirrorDir: string): Promise<void> {
  await rm(gitDir, { recursive: true, force: true });
  await mkdir(gitDir, { recursive: true });
  await git(['init', '--quiet', '--template=', '--bare', '.'], { cwd: gitDir });
  await writeFile(join(gitDir, 'objects/info/alternates'), `${join(mirrorDir, 'objects')}\n`);
}
