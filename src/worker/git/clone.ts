import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import { git } from './git.ts';
import { startBranch, type Mirror } from './mirror.ts';
import type { GitRemote } from './remote.ts';

/** A repository of a run: the agent's clone, and the worker's own repository for what comes of it. */
export interface RunClone {
  owner: string;
  name: string;
  url: string;
  /** The agent's working directory, which nothing but the run's sandbox ever looks into. */
  workTree: string;
  /** The worker's bare repository, which no agent ever sees. */
  gitDir: string;
  /** The commit that work began from: changes are told against it, and the result has to descend from it. */
  baseSha: string;
  /** Commits up to here are not ours to rewrite: the base, or what was on the branch already. */
  keepSha: string;
  /** Branch of the pull request's target; the remote's default where the environment names none. */
  baseBranch: string;
  /** Branch the work is pushed to. */
  branch: string;
  /** Number of the pull request that the work is about. */
  pull?: number | undefined;
  /** The branch is that pull request's own: what stands on it is never rewritten. */
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
  /** The commit that work begins at; the branch's newest where absent. */
  startSha?: string | undefined;
  branch: string;
  pull?: number | undefined;
  shared: boolean;
  /** The branch exists on the remote from an earlier execution: go on from there. */
  continueBranch: boolean;
}

export interface BegunClone {
  clone: RunClone;
  /** The branch of the remote that work starts from. */
  start: string;
}

/** Where a run's work on a repository begins, with the worker's own repository for what comes of it. */
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

/** Where two histories part; the first commit itself where they have nothing in common. */
async function mergeBase(gitDir: string, one: string, other: string): Promise<string> {
  return (await git(['merge-base', one, other], { gitDir }).catch(() => one)).trim();
}

/** The commit of a branch of the mirror; undefined where there is no such branch. */
export async function headOf(dir: string, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const shown = await git(['for-each-ref', '--format=%(objectname) %(refname)', ref], {
    gitDir: dir,
  });
  const line = shown.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line?.split(' ')[0];
}

/**
 * Empties the agent's directory and fills it from the mirror. Objects are copied, not linked: a linked file is the mirror's own, and whoever may write it changes what every
 * other run is given. The mirror need not be the run's user's own, which the git that reads it hears of by a
 * file only. Git's example hooks would be half of what a small clone takes up. The directory itself stays: the agent's process may already stand in it.
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

/** The command that fills the agent's directory, to be run inside the run's sandbox. */
export function fillCommand({ clone, start }: BegunClone, mirror: Mirror): string[] {
  const { workTree, keepSha, branch, url } = clone;
  return ['/bin/sh', '-c', FILL, 'clone', mirror.dir, start, workTree, keepSha, branch, url];
}

/** A bare repository that borrows the mirror's objects, and so costs next to nothing. */
async function makeWorkerRepository(gitDir: string, mirrorDir: string): Promise<void> {
  await rm(gitDir, { recursive: true, force: true });
  await mkdir(gitDir, { recursive: true });
  await git(['init', '--quiet', '--template=', '--bare', '.'], { cwd: gitDir });
  await writeFile(join(gitDir, 'objects/info/alternates'), `${join(mirrorDir, 'objects')}\n`);
}
