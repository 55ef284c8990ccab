import { html } from 'hono/html';
import type { RunItem } from '../../contract/run.ts';
import type { Span } from '../../contract/span.ts';
import { formatDuration } from '../../base/time.ts';
import { formatSpan } from '../format.ts';
import type { Html } from '../html.ts';
import { listingView } from '../lists/table.ts';

/** The most spans on a strip; with more, neighbouring tool calls are merged. */
export const SPANS_SHOWN = 300;

const WIDTH = 1000;
/**
 * A pause in which nothing works, such as a night before the follow-up, takes at most this share.
 */
const GAP_SHARE = 0.06;
/** The narrowest mark that can still be seen and clicked. */
const NARROWEST = 3;

const KINDS: Record<Span['kind'], string> = {
  queue: 'Queue',
  clone: 'Clone',
  setup: 'Set-up',
  agent: 'Agent',
  command: 'Tool calls',
  waiting: 'Waiting for you',
};

interface Piece {
  from: number;
  to: number;
}

const pieceOf = (span: Span, now: Date): Piece => ({
  from: Date.parse(span.started_at),
  to: Math.max(Date.parse(span.started_at), span.ended_at ? Date.parse(span.ended_at) : +now),
});

const titleOf = (span: Span): string =>
  span.count > 1 ? `${span.title} and ${span.count - 1} more` : span.title;

const placeOf = (path: string, position: number): string => `${path}?at=${position}#e-${position}`;

/**
 * A timeline of the run, with tool calls in a row below and failures in red. A click goes to the
 * entry.
 */
export function stripView(spans: Span[], path: string, now: Date): Html | '' {
  if (spans.length === 0) return '';
  const x = axisOf(spans, now);
  // A failed call is as wide as can be seen, so nothing that follows may be drawn over it.
  const [failed, others] = [spans.filter((it) => it.failed), spans.filter((it) => !it.failed)];
  return html`<figure class="strip">
    <svg viewBox="0 0 ${WIDTH} 32" preserveAspectRatio="none" aria-hidden="true">
      ${[...others, ...failed].map((span) => mark(span, x, path, now))}
    </svg>
    <ul class="plain legend" aria-label="Time by kind">
      ${legend(spans, now)}
    </ul>
  </figure>`;
}

/** The timeline as a table. */
export function spansTable(run: RunItem, spans: Span[], path: string, now: Date): Html {
  return listingView({
    title: 'Where the time went',
    columns: ['What', 'Kind', 'Began', 'Took'],
    rows: spans.map((span) => {
      const name = html`<bdi>${titleOf(span)}</bdi>${span.failed ? ' (failed)' : ''}`;
      const { from, to } = pieceOf(span, now);
      return [
        span.position === undefined
          ? name
          : html`<a href="${placeOf(path, span.position)}">${name}</a>`,
        KINDS[span.kind],
        `+${formatSpan(run.created_at, new Date(from))}`,
        formatDuration(to - from),
      ];
    }),
    empty: 'Nothing has happened yet.',
  });
}

/** The times in which something worked or was queued, without overlaps. */
function workedPieces(spans: Span[], now: Date): Piece[] {
  const pieces: Piece[] = [];
  for (const span of spans.filter((it) => it.kind !== 'waiting')) {
    const piece = pieceOf(span, now);
    const last = pieces.at(-1);
    if (last && piece.from <= last.to) last.to = Math.max(last.to, piece.to);
    else pieces.push(piece);
  }
  // A wait at the end is drawn like one in the middle.
  const end = Math.max(...spans.map((span) => pieceOf(span, now).to));
  return end > (pieces.at(-1)?.to ?? end) ? [...pieces, { from: end, to: end }] : pieces;
}

/** Maps a time to its position on the strip. */
function axisOf(spans: Span[], now: Date): (time: number) => number {
  const pieces = workedPieces(spans, now);
  const worked = pieces.reduce((sum, { from, to }) => sum + to - from, 0);
  const gapMax = Math.max(1, worked * GAP_SHARE);
  const along = (time: number): number =>
    pieces.reduce((x, { from, to }, at) => {
      const before = pieces[at - 1];
      const gap = before ? from - before.to : 0;
      const inGap = before ? Math.min(Math.max(0, time - before.to), gap) : 0;
      const shown = gap > 0 ? (inGap / gap) * Math.min(gap, gapMax) : 0;
      return x + shown + Math.min(Math.max(0, time - from), to - from);
    }, 0);
  const all = along(pieces.at(-1)?.to ?? 0) || 1;
  return (time) => (along(time) / all) * WIDTH;
}

function mark(span: Span, x: (time: number) => number, path: string, now: Date): Html {
  const { from, to } = pieceOf(span, now);
  const width = Math.min(WIDTH, Math.max(NARROWEST, x(to) - x(from)));
  const left = Math.min(x(from), WIDTH - width);
  const [y, height] = span.kind === 'command' ? [17, 13] : [0, 14];
  const rect = html`<rect
    class="${span.failed ? 'bad' : span.kind}"
    x="${left.toFixed(1)}"
    y="${y}"
    width="${width.toFixed(1)}"
    height="${height}"
  >
    <title>${titleOf(span)}: ${formatSpan(span.started_at, new Date(to))}</title>
  </rect>`;
  if (span.position === undefined) return rect;
  return html`<a href="${placeOf(path, span.position)}" tabindex="-1">${rect}</a>`;
}

/** The total time of each kind, as text beside its colour. */
function legend(spans: Span[], now: Date): Html[] {
  const kinds = ['queue', 'clone', 'setup', 'agent', 'waiting'] as const;
  return kinds.flatMap((kind) => {
    const pieces = spans.filter((span) => span.kind === kind).map((span) => pieceOf(span, now));
    if (pieces.length === 0) return [];
    const ms = pieces.reduce((sum, { from, to }) => sum + to - from, 0);
    return [html`<li class="${kind}">${KINDS[kind]} ${formatDuration(ms)}</li>`];
  });
}
