import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import { diskUse, watchDisk } from '../disk-use.ts';
import { git } from './git.ts';
import type { GitCredentials } from './credentials.ts';
import type { GitRemote } from './remote.ts';

export interface Mirror {
  dir: string;
  /** The remote's default branch; undefined if that has no commits. */
  defaultBranch: string | undefined;
}

export interface MirrorOrder {
  remote: GitRemote;
  credentials: GitCredentials | undefined;
  signal: AbortSignal | undefined;
  /** Variables for git, such as proxies. */
  env: Readonly<Record<string, string>>;
  /** Most bytes that the repository may take up. */
  limitBytes: number;
  /** A commit that must be present, on whatever branch it was. */
  commit?: string | undefined;
}

const busy = new Map<string, Promise<unknown>>();
/** Mirrors whose files are being copied, with how many copies there are, and those being packed. */
const copied = new Map<string, number>();
const packed = new Map<string, Promise<unknown>>();
/** More files than this for objects, or packs of them, make each copy large and slow. */
const LOOSE_MAX = 50;
const PACKS_MAX = 20;

/** The directory of a remote's mirror. */
export function mirrorDirectory(root: string, { slug }: GitRemote): string {
  return join(root, `${slug}.git`);
}

/**
 * Fetches branches and tags into the bare mirror of a remote, which is kept between runs. A damaged
 * mirror is made anew. Throws `git_failed` with the remote's message, or `repository_too_large`.
 */
export async function refreshMirror(root: string, order: MirrorOrder): Promise<Mirror> {
  const dir = mirrorDirectory(root, order.remote);
  return await alone(dir, async () => {
    try {
      return await fetchWithin(dir, order);
    } catch (error) {
      if (order.signal?.aborted || isTooLarge(error) || !(await isDamaged(dir))) throw error;
      await rm(dir, { recursive: true, force: true });
      return await fetchWithin(dir, order);
    }
  });
}

/** Copies a mirror's files. They stay in place meanwhile. */
export async function copyMirror<T>(dir: string, copy: () => Promise<T>): Promise<T> {
  while (packed.has(dir)) await packed.get(dir);
  copied.set(dir, (copied.get(dir) ?? 0) + 1);
  try {
    return await copy();
  } finally {
    const left = (copied.get(dir) ?? 1) - 1;
    if (left > 0) copied.set(dir, left);
    else copied.delete(dir);
  }
}

/**
 * Brings what many fetches left in files of their own into few, because every run gets a copy. Waits
 * for no fetch or copy that is under way: the next round is soon enough. Drops no object, because
 * repositories of runs borrow them.
 */
export async function packMirror(dir: string, signal: AbortSignal): Promise<void> {
  if (busy.has(dir)) return;
  await alone(dir, async () => {
    if (!(await isScattered(dir)) || copied.has(dir)) return;
    const packing = packAll(dir, signal)
      .catch(() => removeHalfPacks(dir))
      .finally(() => packed.delete(dir));
    packed.set(dir, packing);
    await packing;
  });
}

async function packAll(gitDir: string, signal: AbortSignal): Promise<void> {
  await git(['repack', '-d', '--quiet', '--geometric=2'], { gitDir, signal });
  await git(['pack-refs', '--all', '--prune'], { gitDir, signal });
}

async function isScattered(gitDir: string): Promise<boolean> {
  const counted = await git(['count-objects', '--verbose'], { gitDir }).catch(() => '');
  const counts = Object.fromEntries(counted.split('\n').map((line) => line.split(': ')));
  return Number(counts['count']) > LOOSE_MAX || Number(counts['packs']) > PACKS_MAX;
}

/** Fetches; removes the mirror if it is or becomes too large. */
async function fetchWithin(dir: string, order: MirrorOrder): Promise<Mirror> {
  const { signal, limitBytes } = order;
  const over = new AbortController();
  const giveUp = (): void =>
    over.abort(
      new RunlinkError(
        'repository_too_large',
        `The repository takes up more than ${limitBytes} bytes.`,
      ),
    );
  const endWatch = watchDisk(() => diskUse([dir]), limitBytes, giveUp);
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    const mirror = await fetchAll(dir, { ...order, signal: either });
    if ((await diskUse([dir])) > limitBytes) giveUp();
    over.signal.throwIfAborted();
    return mirror;
  } catch (error) {
    if (over.signal.aborted) await rm(dir, { recursive: true, force: true });
    else await removeHalfPacks(dir);
    throw error;
  } finally {
    endWatch();
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RunlinkError && error.code === 'repository_too_large';
}

/** Removes what an interrupted fetch or packing left behind. */
async function removeHalfPacks(dir: string): Promise<void> {
  const packs = join(dir, 'objects/pack');
  const names = await readdir(packs).catch(() => []);
  for (const name of names.filter((each) => /^\.?tmp[_-]/.test(each)))
    await rm(join(packs, name), { force: true });
}

async function fetchAll(
  dir: string,
  { remote, credentials, signal, env, commit }: Omit<MirrorOrder, 'limitBytes'>,
): Promise<Mirror> {
  await mkdir(dir, { recursive: true });
  const fresh = !(await stat(join(dir, 'HEAD')).catch(() => undefined));
  if (fresh) await git(['init', '--quiet', '--template=', '--bare', '.'], { cwd: dir });
  const access = {
    gitDir: dir,
    transports: remote.transports,
    signal,
    env,
    credentials,
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
  if (commit !== undefined && !(await hasCommit(dir, commit))) {
    const only = ['--quiet', '--no-tags', '--no-write-fetch-head', '--', remote.url, commit];
    await git(['fetch', ...only], access);
  }
  const now = new Date();
  await utimes(dir, now, now);
  return { dir, defaultBranch: /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(refs)?.[1] };
}

async function hasCommit(gitDir: string, sha: string): Promise<boolean> {
  return git(['cat-file', '-e', `${sha}^{commit}`], { gitDir }).then(
    () => true,
    () => false,
  );
}

/**
 * The branch to start from. Throws `git_failed` if none is named and the default branch has no
 * commits.
 */
export function startBranch({ defaultBranch }: Mirror, named: string | undefined): string {
  const branch = named ?? defaultBranch;
  if (branch !== undefined) return branch;
  throw new RunlinkError('git_failed', 'The repository has no commits on its default branch.', {
    hint: 'Push a first commit, or name a branch as `ref` of the repository.',
  });
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

/** Runs one job at a time per mirror; later callers wait. */
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
