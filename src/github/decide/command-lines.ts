/** A phrase without characters that Markdown treats specially, so its line can be read as prose. */
const PLAIN_PHRASE = /^[/@!.]?[a-z][a-z0-9-]*[:!]?$/i;
/** An empty line, or a line of prose with nothing that starts Markdown spanning several lines. */
const PROSE = /^(?: {0,3}\p{L}[^`<[*_~\\|]*|[ \t]*)$/u;
/**
 * A line that starts like a list item or heading, in bold or italics, or inside quotes or
 * parentheses.
 */
const MARKED = /^[ \t]*(?:[-+*#_("'“„‘«»]|\d{1,9}[.)])/;
/** This many characters after the phrase are enough to tell whether it ends there. */
export const LOOK_BEHIND = 6;
/** A line that may turn the line above it into a table header. */
const TABLE_RULE = /^[ \t]*[|:-]/;

/**
 * Finds the commands in a text line by line. Returns what `findCommandText` would (the text after
 * each occurrence of `phrase`), or undefined if only a Markdown parser can tell. Takes linear time,
 * so text from strangers goes through this first (threats.md G15).
 */
export function lookForCommands(source: string, phrase: string): string[] | undefined {
  const lines = source.split('\n');
  const begins = lines.map((line) => beginsWith(line, phrase));
  const last = begins.lastIndexOf(true);
  if (
    lines.some((line) => MARKED.test(line) && line.toLowerCase().includes(phrase.toLowerCase()))
  ) {
    return undefined;
  }
  if (last === -1) return [];
  if (!PLAIN_PHRASE.test(phrase) || source.includes('<!--')) return undefined;
  const isPlain = lines
    .slice(0, last + 1)
    .every((line, at) =>
      begins[at] ? isCommandLine(line, phrase, at === last) : PROSE.test(line),
    );
  const next = lines[last + 1];
  if (!isPlain || (next !== undefined && TABLE_RULE.test(next))) return undefined;
  return textsBehind(lines, begins, phrase);
}

/** People write `/agent, fix it`, `/agent:fix it`, `/agent—fix it` and `/agent！` too. */
const BEHIND = /^(?:[,:;.!?…](?=\s|$)|[,:;—–](?=\p{L})|[，：；。！？、])/u;

/** Invisible characters that get pasted along or come from right-to-left text. */
const UNSEEN_BEHIND = /^(?:\p{Cf}|\uFE0F){1,3}/u;
const UNSEEN_LAST = /\p{Cf}$/u;

export function endsPhrase(after: string): boolean {
  const seen = after.replace(UNSEEN_BEHIND, '');
  return seen === '' || /^\s/.test(seen) || BEHIND.test(seen);
}

/** The text after the phrase, and after a dash that follows it. */
export function textBehind(text: string): string {
  const words = text
    .trimEnd()
    .replace(UNSEEN_BEHIND, '')
    .replace(UNSEEN_LAST, '')
    .replace(BEHIND, '');
  return words.replace(/^[ \t]{0,9}[-–—][ \t]/, '').trim();
}

export function beginsWith(line: string, phrase: string): boolean {
  const text = line.trimStart();
  const isPhrase = text.slice(0, phrase.length).toLowerCase() === phrase.toLowerCase();
  return isPhrase && endsPhrase(text.slice(phrase.length, phrase.length + LOOK_BEHIND));
}

/**
 * Whether a line is a command: not indented like code, and with nothing after the phrase that
 * starts Markdown. What follows the last phrase does not matter.
 */
function isCommandLine(line: string, phrase: string, isLast: boolean): boolean {
  const indent = line.length - line.trimStart().length;
  if (indent > 3 || !/^ *$/.test(line.slice(0, indent))) return false;
  return isLast || PROSE.test(`a${line.slice(indent + phrase.length)}`);
}

function textsBehind(lines: string[], begins: boolean[], phrase: string): string[] {
  const texts: string[][] = [];
  lines.forEach((line, at) => {
    if (begins[at]) texts.push([line.trimStart().slice(phrase.length)]);
    else texts.at(-1)?.push(line);
  });
  return texts.map((text) => textBehind(text.join('\n')));
}
