import type { WorkerEventBody } from '../../contract/event.ts';
import { cutMiddle, storable } from '../log/bounded-text.ts';
import type { RunClone } from './clone.ts';
import { git } from './git.ts';

const FILES_MAX = 3000;
const DIFF_MAX = 1_000_000;
/** Above this many changed lines no diff is made. */
const DIFF_LINES_MAX = 200_000;
/** Of a larger diff only this beginning is read. */
const DIFF_MAX_BYTES = 32 * 1024 * 1024;

type Changes = Extract<WorkerEventBody, { type: 'changes' }>;
type ChangedFile = Changes['files'][number];

const STATUS: Record<string, ChangedFile['status']> = {
  A: 'added',
  C: 'added',
  D: 'deleted',
  M: 'modified',
  T: 'modified',
  R: 'renamed',
};

/**
 * The files that differ from the base. They always come from git, never from what the agent claims.
 * `to` is a commit or a tree of the worker's repository.
 */
export async function changesSince(
  clone: RunClone,
  to: string,
  headSha: string,
  signal?: AbortSignal,
): Promise<Changes> {
  const range = ['--find-renames', '--ignore-submodules=none', clone.baseSha, to, '--'];
  const own = { gitDir: clone.gitDir, signal };
  const [names, counts] = await Promise.all([
    git(['diff-tree', '-r', '-z', '--name-status', ...range], own),
    git(['diff-tree', '-r', '-z', '--numstat', ...range], own),
  ]);
  const files = joinCounts(readNames(names), readCounts(counts));
  const lines = files.reduce((sum, file) => sum + file.additions + file.deletions, 0);
  const diff =
    lines > DIFF_LINES_MAX || files.length === 0
      ? ''
      : await git(
          ['diff-tree', '-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', ...range],
          { ...own, maxBytes: DIFF_MAX_BYTES, cut: true },
        );
  return {
    type: 'changes',
    base_sha: clone.baseSha,
    head_sha: headSha,
    files: files.slice(0, FILES_MAX),
    ...(diff === '' ? {} : { diff: cutMiddle(storable(diff), DIFF_MAX) }),
  };
}

interface Named {
  path: string;
  status: ChangedFile['status'];
}

function readNames(output: string): Named[] {
  const fields = output.split('\0');
  const files: Named[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const letter = (fields[at] ?? '').charAt(0);
    const moved = letter === 'R' || letter === 'C';
    const path = fields[at + (moved ? 2 : 1)] ?? '';
    files.push({ path, status: STATUS[letter] ?? 'modified' });
    at += moved ? 3 : 2;
  }
  return files;
}

function readCounts(output: string): Map<string, [number, number]> {
  const fields = output.split('\0');
  const counts = new Map<string, [number, number]>();
  for (let at = 0; at < fields.length;) {
    const [added, deleted, path] = (fields[at] ?? '').split('\t');
    if (added === undefined || deleted === undefined || path === undefined) break;
    const moved = path === '';
    counts.set(moved ? (fields[at + 2] ?? '') : path, [Number(added) || 0, Number(deleted) || 0]);
    at += moved ? 3 : 1;
  }
  return counts;
}

function joinCounts(files: Named[], counts: Map<string, [number, number]>): ChangedFile[] {
  return files.map(({ path, status }) => {
    const [additions, deletions] = counts.get(path) ?? [0, 0];
    return { path: storable(path).slice(0, 4096), status, additions, deletions };
  });
}
