import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';
import type { Mirror } from './mirror.ts';
import type { Remote } from './remote.ts';

/** A repository of a run: the agent's clone, and the worker's own repository for what comes of it. */
export interface RunClone {
  owner: string;
  name: string;
  url: string;
  /** The agent's working directory; everything under it is untrusted. */
  workTree: string;
  /** The worker's bare repository, which no agent can write. */
  gitDir: string;
  /** The commit that work began from: changes are told against it. */
  baseSha: string;
  /** Commits up to here are not ours to rewrite: the base, or what was on the branch already. */
  keepSha: string;
  /** Branch of the pull request's target; the remote's default where the environment names none. */
  baseBranch: string;
  /** Branch the work is pushed to. */
  branch: string;
}

export interface CloneOrder {
  owner: string;
  name: string;
  remote: Remote;
  mirror: Mirror;
  workTree: string;
  gitDir: string;
  ref: string | undefined;
  branch: string;
  /** The branch exists on the remote from an earlier execution: go on from there. */
  continueBranch: boolean;
}

/**
 * Clones a mirror for a run. Objects are copied, not linked: a linked file is the mirror's own, and
 * whoever may write it changes what every other run is given.
 */
export async function cloneForRun(order: CloneOrder): Promise<RunClone> {
  const { mirror, workTree, gitDir, branch } = order;
  const baseBranch = order.ref ?? mirror.defaultBranch;
  const onRemote = order.continueBranch && (await hasBranch(mirror.dir, branch));
  await emptyDirectory(workTree);
  const start = onRemote ? branch : baseBranch;
  await git(
    [
      'clone',
      '--quiet',
      '--local',
      '--no-hardlinks',
      `--branch=${start}`,
      '--',
      mirror.dir,
      workTree,
    ],
    { transports: ['file'] },
  );
  const inClone = { cwd: workTree };
  await git(['remote', 'set-url', 'origin', order.remote.url], inClone);
  if (!onRemote) await git(['checkout', '--quiet', '-b', branch], inClone);
  const keepSha = (await git(['rev-parse', 'HEAD'], inClone)).trim();
  const baseSha = onRemote
    ? (
        await git(['merge-base', keepSha, `refs/heads/${baseBranch}`], { gitDir: mirror.dir })
      ).trim()
    : keepSha;
  await makeWorkerRepository(gitDir, mirror.dir);
  return {
    owner: order.owner,
    name: order.name,
    url: order.remote.url,
    workTree,
    gitDir,
    baseSha,
    keepSha,
    baseBranch,
    branch,
  };
}

async function hasBranch(dir: string, branch: string): Promise<boolean> {
  const found = await git(['for-each-ref', '--format=%(refname)', `refs/heads/${branch}`], {
    gitDir: dir,
  });
  return found.trim() === `refs/heads/${branch}`;
}

/** Empties a directory and keeps it: the agent's process may already stand in it. */
async function emptyDirectory(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const names = await readdir(dir);
  await Promise.all(names.map((name) => rm(join(dir, name), { recursive: true, force: true })));
}

/** A bare repository that borrows the mirror's objects, and so costs next to nothing. */
async function makeWorkerRepository(gitDir: string, mirrorDir: string): Promise<void> {
  await rm(gitDir, { recursive: true, force: true });
  await mkdir(gitDir, { recursive: true });
  await git(['init', '--quiet', '--bare', '.'], { cwd: gitDir });
  await writeFile(join(gitDir, 'objects/info/alternates'), `${join(mirrorDir, 'objects')}\n`);
}
