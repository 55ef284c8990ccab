import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { reveal, settleLines } from '../../pages/text.ts';

/** Others' text for a terminal: no control sequence is left in it, and what would hide or reorder letters shows. */
export function clean(text: string): string {
  return reveal(settleLines(text)).replaceAll('\t', '    ');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, ' ').trim();
}

export { stringWidth as widthOf };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** As much of a plain line as fits `width` columns, ending in `…` where something was left out. */
export function fit(line: string, width: number): string {
  if (width === Infinity || stringWidth(line) <= width) return line;
  let [kept, used] = ['', 0];
  for (const { segment } of graphemes.segment(line)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept.trimEnd()}…`;
}

/** A line, styled or not, with blanks up to `width` columns. */
export function pad(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - stringWidth(line)));
}

/** Lines of at most `width` columns, which keep what stands before them; `indent` is put before each, within the width. */
export function wrap(text: string, width: number, indent = ''): string {
  const room = Math.max(width - stringWidth(indent), 8);
  const lines = text.split('\n').flatMap((line) => wrapLine(line, room));
  return lines.map((line) => (indent + line).trimEnd()).join('\n');
}

function wrapLine(line: string, width: number): string[] {
  if (width === Infinity || stringWidth(line) <= width) return [line];
  const lead = (/^ */.exec(line)?.[0] ?? '').slice(0, width >> 1);
  const wrapped = wrapAnsi(line.trimStart(), width - lead.length, { hard: true });
  return wrapped.split('\n').map((each) => lead + each);
}
