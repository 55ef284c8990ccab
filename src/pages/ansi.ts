import { reveal, settleLines } from './text.ts';

// Select Graphic Rendition, the one control sequence that is understood (ECMA-48 8.3.117).
const SGR = /\u001B\[([\d;:]{0,64})m/;
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** Changes of style that are shown; the rest of an output with more of them comes without. */
const CHANGES_MAX = 1_000;

interface Style {
  colour?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

export interface Span {
  text: string;
  /** CSS classes from a fixed set; empty for plain text. */
  classes: string;
}

function colourOf(code: number): string | undefined {
  if (code >= 30 && code <= 37) return COLOURS[code - 30];
  return code >= 90 && code <= 97 ? COLOURS[code - 90] : undefined;
}

const SWITCHES: Record<number, Style> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
};

function apply(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const colour = colourOf(code);
    if (code === 0) next = {};
    else if (code === 38 || code === 48) at += codes[at + 1] === 2 ? 4 : 2;
    else if (colour) next = { ...next, colour };
    else if (code === 39) next = { ...next, colour: '' };
    else next = { ...next, ...SWITCHES[code] };
  }
  return next;
}

function classesOf({ colour, ...flags }: Style): string {
  const names = Object.entries(flags).flatMap(([name, on]) => (on ? [`ansi-${name}`] : []));
  return [...(colour ? [`ansi-${colour}`] : []), ...names].join(' ');
}

/** Terminal output as spans: colours kept, every other control sequence dropped. */
export function ansiSpans(output: string): Span[] {
  const all = settleLines(output).split(SGR);
  const shown = all.slice(0, 2 * CHANGES_MAX);
  const rest = all.slice(2 * CHANGES_MAX).filter((_, index) => index % 2 === 0);
  let style: Style = {};
  return [...shown, rest.join('')].flatMap((part, index) => {
    if (index % 2 === 1) {
      style = apply(style, part);
      return [];
    }
    const text = reveal(part);
    return text === '' ? [] : [{ text, classes: classesOf(style) }];
  });
}
