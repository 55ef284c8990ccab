import { html, raw } from 'hono/html';
import { ansiSpans } from './ansi.ts';
import type { DiffLine } from './diff.ts';
import { formatCount, plural } from './format.ts';
import type { Html } from './html.ts';
import { onPageThread } from './page-jobs.ts';
import { splitMiddle, reveal, weigh } from './text.ts';

/** A long output shows its first and last characters; the transcript has all of it. */
const OUTPUT_HEAD = 4_000;
const OUTPUT_TAIL = 12_000;
/**
 * The most that one entry may weigh on the first page of a run, in bytes, compressed, so that others
 * fit beside it.
 */
export const ENTRY_WEIGHT = 15_000;
/** What a line of a diff weighs besides its text: its numbers and colours. */
const LINE_WEIGHT = 12;
/** The most lines shown of one file's diff, unless it is shown alone. */
export const DIFF_LINES_MAX = 400;
/** The most characters shown of one line of a diff. */
const DIFF_LINE_MAX = 1_000;

/** A command's output, with its colours. */
export function outputView(output: string, label: string): Html {
  const all = output.trimEnd();
  const most = splitMiddle(all, OUTPUT_HEAD, OUTPUT_TAIL);
  const weight = weigh(most.head + most.tail);
  const share = Math.min(1, ENTRY_WEIGHT / weight);
  const [headMax, tailMax] = [OUTPUT_HEAD, OUTPUT_TAIL].map((it) => Math.floor(it * share));
  const { head, omitted, tail } = splitMiddle(all, headMax ?? 0, tailMax ?? 0);
  const gap = `⋯ ${formatCount(omitted)} characters are in the transcript ⋯`;
  const rest = omitted === 0 ? [] : [html`<span class="omitted">${gap}</span>`, ...spans(tail)];
  return html`<pre class="output" tabindex="0" aria-label="${label}">${spans(head)}${rest}</pre>`;
}

const SIGNS = { add: '+', del: '-', same: ' ', gap: '' } as const;

const shownText = (line: DiffLine): string => reveal(line.text.slice(0, DIFF_LINE_MAX));

function lineView(line: DiffLine, markup: string | undefined): Html {
  const text = shownText(line);
  if (line.kind === 'gap') return html`<span class="gap">${text === '' ? '⋯' : text}</span>`;
  return html`<span class="${line.kind}" data-old="${line.old}" data-new="${line.new}"
    >${SIGNS[line.kind]}${markup === undefined ? text : raw(markup)}</span
  >`;
}

/** Highlights one side of a hunk: the lines before or after the change. */
async function highlightSide(
  lines: DiffLine[],
  kind: 'add' | 'del',
  language: string,
): Promise<[DiffLine, string][]> {
  const side = lines.filter((line) => line.kind === kind || line.kind === 'same');
  if (kind === 'del' && side.every((line) => line.kind === 'same')) return [];
  const { code } = await onPageThread({ code: side.map(shownText).join('\n'), language });
  if (code?.length !== side.length) return [];
  return side.map((line, at) => [line, code[at] ?? '']);
}

/**
 * Highlighted markup for the lines of a file's diff, if possible; each hunk and side separately.
 */
async function highlightDiff(lines: DiffLine[], path: string): Promise<Map<DiffLine, string>> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const language = name.slice(name.lastIndexOf('.') + 1);
  const hunks: DiffLine[][] = [[]];
  for (const line of lines) {
    if (line.kind === 'gap') hunks.push([]);
    else hunks.at(-1)?.push(line);
  }
  const filled = hunks.filter((hunk) => hunk.length > 0);
  const sides = (['del', 'add'] as const).flatMap((kind) =>
    filled.map((hunk) => highlightSide(hunk, kind, language)),
  );
  return new Map((await Promise.all(sides)).flat());
}

/** As many of these lines as weigh less than `weight`. */
export function fitting(lines: DiffLine[], weight: number): DiffLine[] {
  if (lines.length === 0) return lines;
  const all = weightOfLines(lines);
  if (all <= weight) return lines;
  const count = Math.floor((lines.length * Math.max(0, weight)) / all / 1.1);
  return fitting(lines.slice(0, count), weight);
}

export function weightOfLines(lines: DiffLine[]): number {
  return weigh(lines.map(shownText).join('\n')) + lines.length * LINE_WEIGHT;
}

/** Lines of a file's diff with both line numbers in the margin. */
export async function diffView(
  lines: DiffLine[],
  path: string,
  shown = fitting(lines.slice(0, DIFF_LINES_MAX), ENTRY_WEIGHT),
): Promise<Awaited<Html>> {
  const markup = await highlightDiff(shown, path);
  const left = lines.length - shown.length;
  const rest = left > 0 ? html`<span class="gap">⋯ ${plural(left, 'more line')}</span>` : '';
  const all = [shown.map((line) => lineView(line, markup.get(line))), rest];
  return html`<pre class="diff" tabindex="0" aria-label="Changes in ${path}">${all}</pre>`;
}

/** `+12 −3`, with words for screen readers. */
export function lineCounts(additions: number, deletions: number): Html {
  return html`<span class="counts"
    ><span class="plus" aria-label="${plural(additions, 'line')} added"
      >+${formatCount(additions)}</span
    >
    <span class="minus" aria-label="${plural(deletions, 'line')} removed"
      >−${formatCount(deletions)}</span
    ></span
  >`;
}

function spans(text: string): (Html | string)[] {
  return ansiSpans(text).map((span) =>
    span.classes === '' ? span.text : html`<span class="${span.classes}">${span.text}</span>`,
  );
}
