import { html } from 'hono/html';
import {
  DIFF_LINES_MAX,
  ENTRY_WEIGHT,
  diffView,
  fitting,
  lineCounts,
  outputView,
} from '../code-view.ts';
import type { DiffLine } from '../diff.ts';
import { formatSpan } from '../format.ts';
import type { Html } from '../html.ts';
import { onPageThread } from '../page-jobs.ts';
import { splitMiddle, reveal } from '../text.ts';
import type { Tool } from '../../contract/log-item.ts';
import { mark, type Mark } from './labels.ts';

/** Outputs and diffs with at most this many lines are open from the start. */
const UNFOLDED_LINES = 14;
const INPUT_MAX = 4_000;

const STATUS: Record<Tool['status'], Mark> = {
  pending: 'busy',
  running: 'busy',
  completed: 'good',
  failed: 'bad',
  denied: 'warn',
};

const KINDS: Record<Tool['kind'], string> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  other: 'Tool',
};

interface Edit {
  path: string;
  lines: DiffLine[] | undefined;
}

/**
 * One tool call: what it did, how it ended and, folded, its output. After the run's end, an
 * unfinished call is no longer shown as running.
 */
export async function toolView(
  tool: Tool,
  at: string,
  endedAt: string,
  over: boolean,
): Promise<Awaited<Html>> {
  const edits = await Promise.all(tool.diffs.map(editOf));
  const status = statusOf(tool, over);
  const only = edits.length === 1 ? edits[0] : undefined;
  const row = html`<div class="line ${status}">
    ${mark(status)}<span class="line-text">${heading(tool)}</span>
    ${only?.lines ? editCounts(only.lines) : ''}
    <span class="meta">${metaOf(tool, at, endedAt)}</span>
  </div>`;
  const inside = [
    fullCommand(tool),
    inputView(tool),
    ...edits.map((edit) => (only ? editView(edit) : captionedEdit(edit, edits.length))),
    tool.output.trim() === '' ? '' : outputView(tool.output, `Output of ${tool.title}`),
  ];
  if (inside.every((part) => part === '')) return html`<div class="tool">${row}</div>`;
  return html`<details class="tool" ${isOpen(tool, status, edits) ? html`open` : ''}>
    <summary>${row}</summary>
    ${inside}
  </details>`;
}

function oneLine(text: string): string {
  const [first = '', ...more] = reveal(text).trim().split('\n');
  return more.length > 0 ? `${first} …` : first;
}

function heading(tool: Tool): Html {
  if (tool.kind === 'execute') {
    return html`<code class="command">${oneLine(tool.command ?? tool.title)}</code>`;
  }
  const path = tool.paths[0] ?? tool.diffs[0]?.path;
  const title = oneLine(tool.title);
  const kind = KINDS[tool.kind];
  const says = title.toLowerCase().startsWith(kind.toLowerCase());
  const isNamed = path === undefined || title.includes(path.slice(path.lastIndexOf('/') + 1));
  const rest = isNamed ? '' : html` <code>${reveal(path)}</code>`;
  return html`${says ? '' : html`<span class="kind">${kind}</span> `}${title}${rest}`;
}

async function editOf({ path, old_text, new_text }: Tool['diffs'][number]): Promise<Edit> {
  const { lines } = await onPageThread({ oldText: old_text ?? '', newText: new_text });
  return { path, lines };
}

function countLines(lines: DiffLine[], kind: DiffLine['kind']): number {
  return lines.filter((line) => line.kind === kind).length;
}

function editCounts(lines: DiffLine[]): Html {
  return lineCounts(countLines(lines, 'add'), countLines(lines, 'del'));
}

function editView({ path, lines }: Edit, shown?: DiffLine[]): Html {
  if (lines === undefined) {
    return html`<p class="muted pad">${reveal(path)}: too much changed to show here.</p>`;
  }
  return diffView(lines, path, shown);
}

/** One of several edits of a call, with its file name. */
function captionedEdit(edit: Edit, edits: number): Html {
  const shown = edit.lines?.slice(0, DIFF_LINES_MAX);
  const counts = edit.lines ? editCounts(edit.lines) : '';
  return html`<figure>
    <figcaption><code>${reveal(edit.path)}</code> ${counts}</figcaption>
    ${editView(edit, shown && fitting(shown, ENTRY_WEIGHT / edits))}
  </figure>`;
}

function metaOf(tool: Tool, at: string, endedAt: string): string {
  const over = tool.status === 'completed' || tool.status === 'failed';
  const parts = [
    tool.nested ? 'sub-agent' : '',
    tool.status === 'denied' ? 'not allowed' : '',
    tool.exitCode !== undefined && tool.exitCode !== 0 ? `exit ${tool.exitCode}` : '',
    over && endedAt !== at ? formatSpan(at, endedAt) : '',
  ];
  return parts.filter(Boolean).join(' · ');
}

/** The arguments of a call that has nothing else to show. */
function inputView(tool: Tool): Html | '' {
  const known = tool.kind === 'execute' || tool.diffs.length > 0;
  if (known || tool.input === undefined || Object.keys(tool.input).length === 0) return '';
  const text = splitMiddle(JSON.stringify(tool.input, null, 2), INPUT_MAX, 0).head;
  return html`<pre class="output" tabindex="0" aria-label="Input">${reveal(text)}</pre>`;
}

function fullCommand(tool: Tool): Html | '' {
  const command = tool.kind === 'execute' ? tool.command : undefined;
  if (command === undefined || !command.trim().includes('\n')) return '';
  return html`<pre class="output" tabindex="0" aria-label="Whole command">
${reveal(splitMiddle(command, INPUT_MAX, 0).head)}</pre>`;
}

function statusOf(tool: Tool, over: boolean): Mark {
  if (tool.exitCode !== undefined && tool.exitCode !== 0) return 'bad';
  const status = STATUS[tool.status];
  return status === 'busy' && over ? 'note' : status;
}

function isOpen(tool: Tool, status: Mark, edits: Edit[]): boolean {
  if (status === 'bad' || status === 'busy') return true;
  const changed = edits.reduce((sum, edit) => sum + (edit.lines?.length ?? 0), 0);
  const wanted = tool.kind === 'execute' || edits.length > 0;
  return wanted && tool.output.split('\n').length + changed <= UNFOLDED_LINES;
}
