import { html } from 'hono/html';
import { ansiSpans } from './ansi.ts';
import type { DiffLine } from './diff.ts';
import { formatCount, plural } from './format.ts';
import type { Html } from './html.ts';
import { cutMiddle, reveal } from './text.ts';

/** A long output shows its first and its last characters; the transcript has all of it. */
const OUTPUT_HEAD = 4_000;
const OUTPUT_TAIL = 12_000;
/** Most lines shown of one file's diff. */
const DIFF_LINES_MAX = 400;
/** Most characters shown of one line of a diff. */
const DIFF_LINE_MAX = 1_000;

function spans(text: string): (Html | string)[] {
  return ansiSpans(text).map((span) =>
    span.classes === '' ? span.text : html`<span class="${span.classes}">${span.text}</span>`,
  );
}

/** What a command printed, with its colours. */
export function outputView(output: string, label: string): Html {
  const { head, omitted, tail } = cutMiddle(output.trimEnd(), OUTPUT_HEAD, OUTPUT_TAIL);
  const gap = `⋯ ${formatCount(omitted)} characters are in the transcript ⋯`;
  const rest = omitted === 0 ? [] : [html`<span class="omitted">${gap}</span>`, ...spans(tail)];
  return html`<pre class="output" tabindex="0" aria-label="${label}">${spans(head)}${rest}</pre>`;
}

const SIGNS = { add: '+', del: '-', same: ' ', gap: '' } as const;

function lineView(line: DiffLine): Html {
  const text = reveal(line.text.slice(0, DIFF_LINE_MAX));
  if (line.kind === 'gap') return html`<span class="gap">${text === '' ? '⋯' : text}</span>`;
  return html`<span class="${line.kind}" data-old="${line.old}" data-new="${line.new}"
    >${SIGNS[line.kind]}${text}</span
  >`;
}

/** Lines of a diff with both line numbers in the margin. */
export function diffView(lines: DiffLine[], label: string): Html {
  const shown = lines.slice(0, DIFF_LINES_MAX);
  const left = lines.length - shown.length;
  const rest = left > 0 ? html`<span class="gap">⋯ ${plural(left, 'more line')}</span>` : '';
  const all = [shown.map(lineView), rest];
  return html`<pre class="diff" tabindex="0" aria-label="${label}">${all}</pre>`;
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
