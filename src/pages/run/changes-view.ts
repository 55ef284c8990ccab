import { html } from 'hono/html';
import { DIFF_LINES_MAX, diffView, fitting, lineCounts, weightOfLines } from '../code-view.ts';
import { readGitDiff, type DiffLine } from '../diff.ts';
import { formatCount, plural } from '../format.ts';
import type { Html } from '../html.ts';
import { reveal } from '../text.ts';
import type { ChangesEvent } from './load.ts';

/** The most files listed. The pull request shows everything. */
const FILES_SHOWN = 200;
/** The most lines of a file that is shown alone. */
const LINES_ALONE = 2_000;
/** Approximate weight of all diffs of a page, which stays below 60 kB, compressed. */
const DIFFS_WEIGHT = 39_000;
/** Diffs with at most this many lines are open from the start. */
const UNFOLDED_LINES = 80;
/** With more files than this, the file tree is shown beside the diffs if there is room. */
const HANDFUL = 5;
/** How deep folders are nested; deeper files keep their folders in their names. */
const DEEPEST = 8;

type ChangedFile = ChangesEvent['files'][number];

/** A file of the tree: the index of its diff, and its path inside the folder it is shown in. */
interface Leaf {
  at: number;
  name: string;
  file: ChangedFile;
}

/** The one file that is shown alone: its number, and the first line of its diff to show. */
export interface Alone {
  file: number;
  line: number;
}

/** A part of a file's diff. */
interface Piece {
  lines: DiffLine[];
  /** How many lines stand before it, and how many there are in all. */
  before: number;
  total: number;
}

/** The files that the agent changed, each with its diff. */
export function changesView(changes: ChangesEvent | undefined, alone?: Alone): Html | '' {
  if (!changes || changes.files.length === 0) return '';
  const { files } = changes;
  const chosen = alone && files[alone.file - 1];
  if (alone && chosen) return aloneView(changes, chosen, alone);
  const diffs = affordable(changes.diff);
  const lines = [...diffs.values()].reduce((sum, diff) => sum + diff.lines.length, 0);
  const shown = files.slice(0, FILES_SHOWN);
  const left = files.length - shown.length;
  return html`<section class="card flush" id="changes-list" aria-labelledby="changes-title">
    <h2 id="changes-title">
      ${plural(files.length, 'changed file')}
      ${lineCounts(
        files.reduce((sum, file) => sum + file.additions, 0),
        files.reduce((sum, file) => sum + file.deletions, 0),
      )}
    </h2>
    <p class="muted pad needs-script">
      Press a line to comment on it, or go through the changed lines with <kbd>j</kbd> and
      <kbd>k</kbd> and press Enter. All comments go to the agent as one follow-up.
    </p>
    <div class="${files.length > HANDFUL ? 'beside' : ''}">
      ${treeView(shown)}
      <ul class="plain files">
        ${shown.map((file, at) => fileView(file, at, diffs.get(file.path), lines <= UNFOLDED_LINES))}
      </ul>
    </div>
    ${left > 0 ? html`<p class="muted pad">${plural(left, 'more file')} changed.</p>` : ''}
  </section>`;
}

/** One file, with more of its diff than fits beside others. */
function aloneView({ diff = '' }: ChangesEvent, file: ChangedFile, alone: Alone): Html {
  const before = alone.line - 1;
  const limits = { filesMax: Infinity, linesMax: before + LINES_ALONE };
  const found = readGitDiff(diff, limits).find(({ path }) => path === file.path);
  const lines = fitting((found?.lines ?? []).slice(before), DIFFS_WEIGHT);
  const piece = { lines, before, total: found?.total ?? 0 };
  return html`<section class="card flush alone" id="changes-list" aria-label="Changed file">
    <p class="pad"><a href="?">All changed files</a></p>
    <ul class="plain files">
      ${fileView(file, alone.file - 1, piece, true)}
    </ul>
  </section>`;
}

/** A link to the lines of a file that are not shown. */
function restView(at: number, { lines, before, total }: Piece): Html | '' {
  const next = before + lines.length + 1;
  if (next > total) return '';
  const [from, label] =
    before > 0 || lines.length > DIFF_LINES_MAX
      ? [next, `Go on at line ${formatCount(next)} of ${formatCount(total)}`]
      : [1, `Show ${plural(total, 'line')}`];
  return html`<a href="?file=${at + 1}&amp;line=${from}">${label}</a>`;
}

function fileView(file: ChangedFile, at: number, piece: Piece | undefined, open: boolean): Html {
  const name = html`<span class="file-status ${file.status}" title="${file.status}"
      >${file.status.charAt(0).toUpperCase()}</span
    ><code class="line-text">${reveal(file.path)}</code>
    <span class="meta">${lineCounts(file.additions, file.deletions)}</span>`;
  if (!piece || piece.lines.length === 0)
    return html`<li id="file-${at}">
      <div class="line">${name} ${piece ? restView(at, piece) : ''}</div>
    </li>`;
  const rest = restView(at, piece);
  const key = `${file.path} +${file.additions} -${file.deletions}`;
  return html`<li id="file-${at}" data-path="${file.path}">
    <div class="viewed needs-script">
      <label><input type="checkbox" data-viewed="${key}" /> Viewed</label>
      <button type="button" class="quiet" data-comment>Comment</button>
    </div>
    <details class="tool" ${open ? html`open` : ''}>
      <summary><div class="line">${name}</div></summary>
      ${diffView(piece.lines, file.path, piece.lines)}
      ${rest === '' ? '' : html`<p class="pad">${rest}</p>`}
    </details>
  </li>`;
}

/** The longest folder path that all of these share. */
function sharedFolder(paths: string[]): string {
  const sorted = paths.toSorted();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  let end = 0;
  while (end < first.length && first[end] === last[end]) end += 1;
  return first.slice(0, first.lastIndexOf('/', end - 1) + 1);
}

function leafView({ at, name, file }: Leaf): Html {
  return html`<li>
    <a href="#file-${at}" title="${file.path}">${reveal(name)}</a>
    ${lineCounts(file.additions, file.deletions)}
  </li>`;
}

function folderView(leaves: Leaf[], depth: number): Html {
  const folder = sharedFolder(leaves.map(({ name }) => name));
  const inside = leaves.map((leaf) => ({ ...leaf, name: leaf.name.slice(folder.length) }));
  return html`<li>
    <details open>
      <summary>${reveal(folder)}</summary>
      ${branchView(inside, depth + 1)}
    </details>
  </li>`;
}

function branchView(leaves: Leaf[], depth: number): Html {
  const groups = Map.groupBy(leaves, ({ name }) => name.slice(0, name.indexOf('/') + 1) || name);
  return html`<ul class="plain">
    ${[...groups].map(([start, group]) =>
      start.endsWith('/') && group.length > 1 && depth < DEEPEST
        ? folderView(group, depth)
        : group.map(leafView),
    )}
  </ul>`;
}

/** A tree of folders with a link to each file, in the order of the diffs. */
function treeView(files: ChangedFile[]): Html | '' {
  if (files.length < 2) return '';
  const leaves = files.map((file, at) => ({ at, name: file.path, file }));
  return html`<nav class="tree" aria-label="Changed files">${branchView(leaves, 0)}</nav>`;
}

/** The beginning of each file's diff, the shortest first, as far as the page's weight allows. */
function affordable(diff = ''): Map<string, Piece> {
  let left = DIFFS_WEIGHT;
  const files = readGitDiff(diff, { filesMax: FILES_SHOWN, linesMax: DIFF_LINES_MAX });
  return new Map(
    files
      .toSorted((a, b) => a.total - b.total)
      .map(({ path, lines, total }) => {
        const shown = fitting(lines, left);
        left -= weightOfLines(shown);
        return [path, { lines: shown, before: 0, total }];
      }),
  );
}
