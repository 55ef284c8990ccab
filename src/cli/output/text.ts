import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { reveal, settleLines } from '../../pages/text.ts';

/**
 * Makes others' text safe for a terminal: removes control sequences, and makes characters visible
 * that hide or reorder text.
 */
export function clean(text: string): string {
  return reveal(settleLines(text)).replaceAll('\t', '    ');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, ' ').trim();
}

export { stringWidth as widthOf };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts a plain line to `width` columns; a cut line ends in `cut`. */
export function fit(line: string, width: number, cut: string): string {
  if (width === Infinity || stringWidth(line) <= width) return line;
  let [kept, used] = ['', 0];
  for (const { segment } of graphemes.segment(line)) {
    used += stringWidth(segment);
    if (used > width - cut.length) break;
    kept += segment;
  }
  return width < cut.length ? '' : kept.trimEnd() + cut;
}

/** Pads a line, styled or not, with spaces to `width` columns. */
export function pad(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - stringWidth(line)));
}

/**
 * Wraps text into lines of at most `width` columns. Each keeps the indentation of its line and
 * begins with `indent`, which counts as part of the width.
 */
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
