/** A first word of commands that means nothing in Markdown, so that its line is as good as prose. */
const PLAIN_PHRASE = /^[/@!.]?[a-z][a-z0-9-]*[:!]?$/i;
/** A line of prose, in which no Markdown begins that could reach over lines, or an empty one. */
const PROSE = /^(?: {0,3}\p{L}[^`<[*_~\\|]*|[ \t]*)$/u;
/** A line that begins as an item of a list or a heading, in bold or slanted letters, or wrapped in something. */
const MARKED = /^[ \t]*(?:[-+*#_("'“„‘«»]|\d{1,9}[.)])/;
/** So many letters behind the phrase tell whether it ends there. */
export const LOOK_BEHIND = 6;
/** A line that makes the one above it the head of a table. */
const TABLE_RULE = /^[ \t]*[|:-]/;

/**
 * Finds the commands of a text by its lines alone: the text behind each occurrence of `phrase`, as
 * `findCommandText` would. Undefined where only a Markdown parser can tell. Takes linear time, so that
 * what strangers write is looked at here before anything else is done with it (threats.md G15).
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

/** What nobody sees, and what comes along where a line is pasted or reads from right to left. */
const UNSEEN_BEHIND = /^(?:\p{Cf}|\uFE0F){1,3}/u;
const UNSEEN_LAST = /\p{Cf}$/u;

export function endsPhrase(after: string): boolean {
  const seen = after.replace(UNSEEN_BEHIND, '');
  return seen === '' || /^\s/.test(seen) || BEHIND.test(seen);
}

/** What stands behind the phrase, and behind a dash after it. */
export function textBehind(text: string): string {
  const words = text
    .trimEnd()
    .replace(UNSEEN_BEHIND, '')
    .replace(UNSEEN_LAST, '')
    .replace(BEHIND, '');
  return words.replace(/^[ \t]{0,9}[-–—][ \t]/, '').trim();
}

function beginsWith(line: string, phrase: string): boolean {
  const text = line.trimStart();
  const isPhrase = text.slice(0, phrase.length).toLowerCase() === phrase.toLowerCase();
  return isPhrase && endsPhrase(text.slice(phrase.length, phrase.length + LOOK_BEHIND));
}

/** Not indented like code; what stands behind the last phrase cannot make it anything else. */
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
