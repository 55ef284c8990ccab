import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import { git } from './git.ts';
import type { Remote } from './remote.ts';

export interface Mirror {
  dir: string;
  /** The remote's default branch. */
  defaultBranch: string;
}

const busy = new Map<string, Promise<unknown>>();

/** Runs one thing at a time per mirror; later callers wait. */
async function alone<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const before = busy.get(dir) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  busy.set(dir, settled);
  try {
    return await mine;
  } finally {
    if (busy.get(dir) === settled) busy.delete(dir);
  }
}

/**
 * The bare mirror of a remote, brought up to date: branches and tags, kept between runs. A damaged
 * one is made anew. Throws `git_failed` with what the remote said.
 */
export async function refreshMirror(
  root: string,
  remote: Remote,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Mirror> {
  const dir = join(root, `${remote.slug}.git`);
  return await alone(dir, async () => {
    try {
      return await fetchAll(dir, remote, token, signal);
    } catch (error) {
      if (!(await isDamaged(dir)) || signal?.aborted) throw error;
      await rm(dir, { recursive: true, force: true });
      return await fetchAll(dir, remote, token, signal);
    }
  });
}

async function fetchAll(
  dir: string,
  remote: Remote,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Mirror> {
  await mkdir(dir, { recursive: true });
  const fresh = !(await stat(join(dir, 'HEAD')).catch(() => undefined));
  if (fresh) await git(['init', '--quiet', '--bare', '.'], { cwd: dir });
  const access = {
    gitDir: dir,
    transports: remote.transports,
    signal,
    ...(token === undefined ? {} : { credentials: { url: remote.url, token } }),
  };
  const [refs] = await Promise.all([
    git(['ls-remote', '--symref', '--', remote.url, 'HEAD'], access),
    git(
      [
        'fetch',
        '--quiet',
        '--prune',
        '--no-tags',
        '--no-write-fetch-head',
        '--force',
        '--',
        remote.url,
        '+refs/heads/*:refs/heads/*',
        '+refs/tags/*:refs/tags/*',
      ],
      access,
    ),
  ]);
  const now = new Date();
  await utimes(dir, now, now);
  const defaultBranch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(refs)?.[1];
  if (defaultBranch === undefined)
    throw new RunlinkError('git_failed', 'The repository has no commits on its default branch.', {
      hint: 'Push a first commit.',
    });
  return { dir, defaultBranch };
}

async function isDamaged(dir: string): Promise<boolean> {
  try {
    await git(['rev-parse', '--git-dir'], { gitDir: dir });
    await git(['for-each-ref', '--count=1'], { gitDir: dir });
    return false;
  } catch {
    return true;
  }
}
