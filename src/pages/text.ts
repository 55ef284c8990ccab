import { stripVTControlCharacters } from 'node:util';
import { deflateRawSync } from 'node:zlib';

// Characters that reorder or hide text (Unicode TR 36). In code they are shown by their numbers.
const HIDING = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Characters of an ordinary text that weigh one byte, compressed with their markup. */
export const CHARS_PER_BYTE = 5;

const JOINER = '\u200D';

/** Text of commands, paths and diffs, with everything visible that could mislead a reader. */
export function reveal(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(CONTROLS, '')
    .replaceAll(HIDING, (c, at: number, all: string) =>
      c === JOINER && joinsPictures(all, at) ? c : numbered(c),
    );
}

/** An invisible character as its number. */
export function numbered(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/**
 * Whether this joiner is part of an emoji made of several, such as a family, and so hides nothing.
 */
function joinsPictures(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 4), at);
  return (
    /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3))
  );
}

/** What a terminal would still show of lines that were overwritten, such as progress bars. */
export function settleLines(text: string): string {
  return text
    .replaceAll(/(?<!\r)\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n');
}

/**
 * Where the prompts of the Action and the App turn from the person's words to who asked and where
 * (github/read/prompt.ts).
 */
const ALONG = /\n\n(?:From (\S+), \S+\n)?Repository: /;

/**
 * Splits a prompt into the person's own words and the context sent along; also returns who asked on
 * GitHub.
 */
export function splitAsked(text: string): { asked: string; along: string; login?: string } {
  const found = ALONG.exec(text);
  if (!found?.index) return { asked: text, along: '' };
  const [asked, along] = [text.slice(0, found.index), text.slice(found.index).trim()];
  return { asked, along, ...(found[1] === undefined ? {} : { login: found[1] }) };
}

export interface Cut {
  head: string;
  /** Number of characters left out between head and tail; 0 if nothing is. */
  omitted: number;
  tail: string;
}

/** Keeps the first and the last part of a long text: usually the question and how it ended. */
export function splitMiddle(text: string, headMax: number, tailMax: number): Cut {
  if (text.length <= headMax + tailMax) return { head: text, omitted: 0, tail: '' };
  const head = text.slice(0, headMax).toWellFormed();
  const tail = text.slice(-tailMax).toWellFormed();
  return { head, omitted: text.length - headMax - tailMax, tail };
}

/** Approximate size of a text in a compressed page, in bytes. */
export function weigh(text: string): number {
  return deflateRawSync(text, { level: 1 }).length;
}

/** The start of a text, cut so that it weighs about `bytes` at most. */
export function lightStart(text: string, bytes: number): string {
  const start = text.slice(0, bytes * CHARS_PER_BYTE);
  const weight = weigh(start);
  const end = weight <= bytes ? start.length : Math.floor((start.length * bytes) / weight);
  return end === text.length ? text : start.slice(0, end).toWellFormed();
}

/** Returns an http(s) URL, or undefined for any other; only these become links. */
export function webUrl(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}
