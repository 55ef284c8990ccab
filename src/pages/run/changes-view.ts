import { html } from 'hono/html';
import { diffView, lineCounts } from '../code-view.ts';
import { readGitDiff, type FileDiff } from '../diff.ts';
import { plural } from '../format.ts';
import type { Html } from '../html.ts';
import { reveal } from '../text.ts';
import type { ChangesEvent } from './load.ts';

/** The most files listed, and the most lines of diff in all. The pull request shows everything. */
const FILES_SHOWN = 200;
const LINES_SHOWN = 2_000;
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

/** The files that the agent changed, each with its diff. */
export function changesView(changes: ChangesEvent | undefined): Html | '' {
  if (!changes || changes.files.length === 0) return '';
  const { files } = changes;
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

function fileView(file: ChangedFile, at: number, diff: FileDiff | undefined, open: boolean): Html {
  const name = html`<span class="file-status ${file.status}" title="${file.status}"
      >${file.status.charAt(0).toUpperCase()}</span
    ><code class="line-text">${reveal(file.path)}</code>
    <span class="meta">${lineCounts(file.additions, file.deletions)}</span>`;
  if (!diff || diff.lines.length === 0)
    return html`<li id="file-${at}"><div class="line">${name}</div></li>`;
  const key = `${file.path} +${file.additions} -${file.deletions}`;
  return html`<li id="file-${at}" data-path="${file.path}">
    <div class="viewed needs-script">
      <label><input type="checkbox" data-viewed="${key}" /> Viewed</label>
      <button type="button" class="quiet" data-comment>Comment</button>
    </div>
    <details class="tool" ${open ? html`open` : ''}>
      <summary><div class="line">${name}</div></summary>
      ${diffView(diff.lines, file.path)}
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

/** The diffs that fit into the limit of lines, by path. */
function affordable(diff: string | undefined): Map<string, FileDiff> {
  const shown = readGitDiff(diff ?? '', { filesMax: FILES_SHOWN, linesMax: LINES_SHOWN });
  return new Map(shown.map((file) => [file.path, file]));
}
