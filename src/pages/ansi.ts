import { isCube, nearestColour } from './ansi-colours.ts';
import { reveal, settleLines } from './text.ts';

// Select Graphic Rendition, the only control sequence that is interpreted (ECMA-48 8.3.117).
const SGR = /\u001B\[([\d;:]{0,64})m/;
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The most changes of style that are shown; the rest of the output keeps one style. */
const CHANGES_MAX = 1_000;

interface Style {
  colour?: string | undefined;
  ground?: string | undefined;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

export interface StyledText {
  text: string;
  /** CSS classes from a fixed set; empty for plain text. */
  classes: string;
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

/** Terminal output as spans: colours kept, every other control sequence dropped. */
export function ansiSpans(output: string): StyledText[] {
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

/** The theme's colour, or the number of one of the other 240. */
function nameOf(colour: number): string {
  return isCube(colour) ? `${colour}` : (COLOURS[colour % 8] ?? '');
}

/** The style that a code of the sixteen colours sets. */
function colouring(code: number): Style | undefined {
  const [tens, colour] = [Math.floor(code / 10), code % 10];
  if (tens === 3 || tens === 9) {
    if (colour < 8) return { colour: nameOf(colour) };
    if (code === 39) return { colour: undefined };
  }
  if (tens === 4 || tens === 10) {
    if (colour < 8) return { ground: nameOf(colour) };
    if (code === 49) return { ground: undefined };
  }
  return undefined;
}

/** The style that `38;5;n`, `38;2;r;g;b` and the same with 48 set. */
function extended([code, kind, ...values]: number[]): Style {
  const [red = 0, green = 0, blue = 0] = values;
  const colour = kind === 2 ? nearestColour(red, green, blue) : red;
  const name = colour >= 0 && colour <= 255 ? nameOf(colour) : undefined;
  return code === 38 ? { colour: name } : { ground: name };
}

function apply(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) next = {};
    else if (code === 38 || code === 48) {
      next = { ...next, ...extended(codes.slice(at, at + 5)) };
      at += codes[at + 1] === 2 ? 4 : 2;
    } else next = { ...next, ...(colouring(code) ?? SWITCHES[code]) };
  }
  return next;
}

function classesOf({ colour, ground, ...flags }: Style): string {
  const names = Object.entries(flags).flatMap(([name, on]) => (on ? [`ansi-${name}`] : []));
  return [
    ...(colour ? [`ansi-${colour}`] : []),
    ...(colour && /\d/.test(colour) ? ['ansi-fixed'] : []),
    ...(ground ? [`ansi-on-${ground}`, 'ansi-ground'] : []),
    ...names,
  ].join(' ');
}
