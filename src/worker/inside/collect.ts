/**
 * Runs inside a run's sandbox after the agent is gone, and sends the run's result as one stream of
 * bytes on stdout. First, for each clone: its last commit, its working directory as a tree, and the
 * objects that the worker does not have. Then the files that were left for people. It reads what
 * the agent wrote, and git may run the agent's programs, so none of its output can be trusted.
 *
 * A frame is a line of JSON (`result/frames.ts`) followed by what it announces: objects as `git
 * cat-file --batch` writes them, or the given number of bytes of a file. The one argument is the
 * order, as JSON.
 */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Dirent,
} from 'node:fs';
import { join } from 'node:path';

interface CloneOrder {
  workTree: string;
  /** Commits that the worker already has, with their objects. */
  known: string[];
}

interface Order {
  /** A directory on disk for temporary files. */
  scratch: string;
  clones: CloneOrder[];
  artifacts?: { dir: string; filesMax: number; bytesMax: number };
}

const STDOUT = 1;
const CHUNK_BYTES = 256 * 1024;
/** Nobody puts files for people deeper than this. */
const DEPTH_MAX = 16;
/** At most this many paths that were left out are named. */
const SKIPPED_MAX = 20;

const order = JSON.parse(process.argv[2] ?? '') as Order;
for (const clone of order.clones) collectClone(clone);
if (order.artifacts) collectArtifacts(order.artifacts);
frame({ type: 'end' });

function frame(header: object): void {
  write(Buffer.from(`${JSON.stringify(header)}\n`));
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at);
}

function collectClone({ workTree, known }: CloneOrder): void {
  const gitDir = mkdtempSync(join(order.scratch, 'collect-'));
  try {
    const { head, tree, skipped } = readWork(workTree, gitDir);
    for (const [path, reason] of skipped) frame({ type: 'left_out', path, reason });
    const wanted = `${head}\n${tree}\n${known.map((sha) => `^${sha}\n`).join('')}`;
    const list = openSync(join(gitDir, 'list'), 'w+');
    const options = ['--objects', '--no-object-names', '--ignore-missing', '--stdin'];
    git(['rev-list', ...options], { gitDir, input: wanted, stdio: ['pipe', list, 'pipe'] });
    frame({ type: 'clone', head, tree, objects: countLines(join(gitDir, 'list')) });
    const from = openSync(join(gitDir, 'list'), 'r');
    // git writes the objects straight to stdout.
    git(['cat-file', '--batch', '--buffer'], { gitDir, stdio: [from, STDOUT, 'pipe'] });
  } catch (error) {
    frame({ type: 'problem', text: error instanceof Error ? error.message : String(error) });
  } finally {
    rmSync(gitDir, { recursive: true, force: true });
  }
}

function countLines(file: string): number {
  return readFileSync(file, 'latin1').split('\n').length - 1;
}

interface ReadWork {
  head: string;
  tree: string;
  /** What git could not add, and why. */
  skipped: [path: string, reason: string][];
}

/**
 * Reads the last commit, and the working directory as a tree. Uses a repository of our own without
 * any settings.
 */
function readWork(workTree: string, gitDir: string): ReadWork {
  const dotGit = join(workTree, '.git');
  if (!isDirectory(workTree) || !isDirectory(dotGit))
    throw new Error('The repository is gone from the workspace.');
  mkdirSync(join(gitDir, 'objects/info'), { recursive: true });
  mkdirSync(join(gitDir, 'refs'));
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(gitDir, 'objects/info/alternates'), `${join(dotGit, 'objects')}\n`);
  const head = git(['rev-parse', '--verify', 'HEAD^{commit}'], { gitDir: dotGit }).trim();
  const own = { gitDir, workTree, cwd: workTree };
  git(['read-tree', head], own);
  const skipped = addAll(own);
  return { head, tree: git(['write-tree'], own).trim(), skipped };
}

/** Adds what can be added; returns which files of the working directory could not, and why. */
function addAll(own: GitOptions): ReadWork['skipped'] {
  const { status, failure } = tryGit(['add', '--all', '--ignore-errors', '--', '.'], own);
  if (status === 0) return [];
  if (status !== 1) throw failure;
  const list = (args: string[]): string[] => git(args, own).split('\0').filter(Boolean);
  const changed = list(['diff-files', '-z', '--name-only']);
  const fresh = list(['ls-files', '-z', '--others', '--exclude-standard']);
  return [...new Set([...changed, ...fresh])]
    .slice(0, SKIPPED_MAX)
    .map((path) => [
      Buffer.from(path, 'latin1').toString('utf8'),
      path.endsWith('/') ? 'it is a repository without a commit' : 'it cannot be read',
    ]);
}

interface GitOptions extends SpawnSyncOptions {
  gitDir: string;
  workTree?: string;
}

function git(args: string[], options: GitOptions): string {
  const { status, text, failure } = tryGit(args, options);
  if (status !== 0) throw failure;
  return text;
}

function tryGit(args: string[], { gitDir, workTree, ...options }: GitOptions) {
  const places = {
    GIT_DIR: gitDir,
    ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
  };
  const { status, signal, stdout, stderr, error } = spawnSync('git', args, {
    env: { ...process.env, ...places },
    maxBuffer: 1024 ** 3,
    ...options,
  });
  if (error) throw error;
  const said = stderr?.toString('utf8').trim().slice(-2000) || `it ended with ${signal ?? status}`;
  const failure = new Error(`git ${args[0]} failed: ${said}`);
  return { status, text: stdout?.toString('latin1') ?? '', failure };
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Sends regular files only; links, pipes and devices are skipped. */
function collectArtifacts({ dir, filesMax, bytesMax }: NonNullable<Order['artifacts']>): void {
  let count = 0;
  for (const path of filesUnder(dir, Buffer.alloc(0), 0)) {
    count += 1;
    if (count > filesMax) return frame({ type: 'more_files' });
    const file = openFile(dir, path, bytesMax);
    if (!file) continue;
    frame({ type: 'file', path: path.toString('utf8'), size: file.size });
    copy(file.handle, file.size);
    closeSync(file.handle);
  }
}

/** Paths below the root, as bytes: a file name need not be valid text. */
function* filesUnder(root: string, inside: Buffer, depth: number): Generator<Buffer> {
  const directories: Buffer[] = [];
  for (const entry of list(root, inside)) {
    const name = Buffer.from(entry.name);
    const path = inside.length === 0 ? name : Buffer.concat([inside, Buffer.from('/'), name]);
    if (entry.isFile()) yield path;
    if (entry.isDirectory() && depth < DEPTH_MAX) directories.push(path);
  }
  for (const path of directories) yield* filesUnder(root, path, depth + 1);
}

function list(root: string, inside: Buffer): Dirent<NonSharedBuffer>[] {
  try {
    return readdirSync(pathOf(root, inside), { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    leaveOut(inside, error);
    return [];
  }
}

function openFile(
  root: string,
  path: Buffer,
  bytesMax: number,
): { handle: number; size: number } | undefined {
  try {
    if (!Buffer.from(path.toString('utf8')).equals(path))
      throw new Error('its name is not valid UTF-8');
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = openSync(pathOf(root, path), flags);
    const { size } = fstatSync(handle);
    if (size <= bytesMax) return { handle, size };
    closeSync(handle);
    throw new Error(`it is larger than ${bytesMax} bytes`);
  } catch (error) {
    leaveOut(path, error);
    return undefined;
  }
}

function pathOf(root: string, inside: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), inside]);
}

function leaveOut(path: Buffer, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  frame({ type: 'left_out', path: path.toString('utf8'), reason });
}

/** Sends exactly as many bytes as were announced; throws if the file became shorter. */
function copy(handle: number, size: number): void {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let left = size; left > 0;) {
    const read = readSync(handle, buffer, 0, Math.min(left, buffer.length), null);
    if (read === 0) throw new Error('A file became shorter while it was read.');
    write(buffer.subarray(0, read));
    left -= read;
  }
}
