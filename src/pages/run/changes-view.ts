import { html } from 'hono/html';
import { diffView, lineCounts } from '../code-view.ts';
import { readGitDiff, type FileDiff } from '../diff.ts';
import { plural } from '../format.ts';
import type { Html } from '../html.ts';
import { reveal } from '../text.ts';
import type { Changes } from './load.ts';

/** Most files listed, and most lines of diff in all. The pull request shows everything. */
const FILES_SHOWN = 200;
const LINES_SHOWN = 2_000;
/** Diffs with at most this many lines are open from the start. */
const UNFOLDED_LINES = 80;

type ChangedFile = Changes['files'][number];

function fileView(file: ChangedFile, at: number, diff: FileDiff | undefined, open: boolean): Html {
  const name = html`<span class="file-status ${file.status}" title="${file.status}"
      >${file.status.charAt(0).toUpperCase()}</span
    ><code class="line-text">${reveal(file.path)}</code>
    <span class="meta">${lineCounts(file.additions, file.deletions)}</span>`;
  if (!diff || diff.lines.length === 0)
    return html`<li id="file-${at}"><div class="line">${name}</div></li>`;
  const key = `${file.path} +${file.additions} -${file.deletions}`;
  return html`<li id="file-${at}" data-path="${file.path}">
    <div class="line viewed needs-script">
      <label><input type="checkbox" data-viewed="${key}" /> Viewed</label>
      <button type="button" class="quiet" data-comment>Comment</button>
    </div>
    <details class="tool" ${open ? html`open` : ''}>
      <summary><div class="line">${name}</div></summary>
      ${diffView(diff.lines, `Changes in ${file.path}`)}
    </details>
  </li>`;
}

/** A way to each file. */
function tree(files: ChangedFile[]): Html {
  return html`<nav class="tree" aria-label="Changed files">
    ${files.map((file, at) => html`<a href="#file-${at}">${reveal(file.path)}</a>`)}
  </nav>`;
}

/** The diffs that fit into the budget of lines, by path. */
function affordable(diff: string | undefined): Map<string, FileDiff> {
  const shown = readGitDiff(diff ?? '', { filesMax: FILES_SHOWN, linesMax: LINES_SHOWN });
  return new Map(shown.map((file) => [file.path, file]));
}

/** The files that changed since the agent began, each with its diff. */
export function changesView(changes: Changes | undefined): Html | '' {
  if (!changes || changes.files.length === 0) return '';
  const { files } = changes;
  const diffs = affordable(changes.diff);
  const lines = [...diffs.values()].reduce((sum, diff) => sum + diff.lines.length, 0);
  const left = files.length - FILES_SHOWN;
  return html`<section class="card flush" id="changes-list" aria-labelledby="changes-title">
    <h2 id="changes-title">
      ${plural(files.length, 'changed file')}
      ${lineCounts(
        files.reduce((sum, file) => sum + file.additions, 0),
        files.reduce((sum, file) => sum + file.deletions, 0),
      )}
    </h2>
    ${files.length > 1 ? tree(files.slice(0, FILES_SHOWN)) : ''}
    <p class="muted pad needs-script">
      Press a line to comment on it. All comments go to the agent as one follow-up.
    </p>
    <ul class="plain files">
      ${files
        .slice(0, FILES_SHOWN)
        .map((file, at) => fileView(file, at, diffs.get(file.path), lines <= UNFOLDED_LINES))}
    </ul>
    ${left > 0 ? html`<p class="muted pad">${plural(left, 'more file')} changed.</p>` : ''}
  </section>`;
}
