/**
 * Longest body of a comment or pull request, and of a check's summary and text
 * (github.md, "Limits").
 */
export const COMMENT_MAX = 65_536;
export const CHECK_TEXT_MAX = 65_535;
/** Longest job summary of a step: 1 MiB. */
export const SUMMARY_MAX_BYTES = 1024 * 1024;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;
/** Room for closing a code block and for the ellipsis. */
const CLOSING = 16;

/**
 * The beginning of the Markdown, at most `max` UTF-16 units and still well-formed: cut at the end
 * of a line if possible, with an open code block closed. A text that fits is not cut.
 */
export function cutMarkdown(text: string, max: number): string {
  const fence = openFence(text);
  if (text.length + (fence ? fence.length + 1 : 0) <= max) {
    return fence ? `${text}\n${fence}` : text;
  }
  if (max <= CLOSING) return '';
  const room = max - CLOSING;
  const line = text.lastIndexOf('\n', room);
  const kept = line > room / 2 ? text.slice(0, line) : cutLine(text, room);
  const open = openFence(kept);
  if (open === undefined) return `${kept.trimEnd()}\n\n…`;
  return open.length + 4 <= CLOSING
    ? `${kept}\n${open}\n\n…`
    : cutMarkdown(kept.slice(0, kept.lastIndexOf(open)), max);
}

/**
 * Cuts inside a long line: at a space if possible, never inside a character, with inline code
 * closed.
 */
function cutLine(text: string, room: number): string {
  const blank = text.lastIndexOf(' ', room);
  const kept = text.slice(0, blank > room / 2 ? blank : room).replace(/[\uD800-\uDBFF]$/, '');
  const lastLine = kept.slice(kept.lastIndexOf('\n') + 1);
  return (lastLine.split('`').length - 1) % 2 === 1 ? `${kept}\`` : kept;
}

/** The fence that closes the code block in which the text ends. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const [, mark, info = ''] = FENCE.exec(line.trimEnd()) ?? [];
    if (mark === undefined) continue;
    if (open !== undefined) open = closes(mark, info, open) ? undefined : open;
    else if (mark.startsWith('~') || !info.includes('`')) open = mark;
  }
  return open;
}

function closes(mark: string, info: string, open: string): boolean {
  return info === '' && mark.startsWith(open.charAt(0)) && mark.length >= open.length;
}

/** Longer runs of these characters are shortened to 60, so that a fence can always be longer. */
const LONG_RUN = /(([`~])\2{59})\2+/g;

/**
 * The text in a code block with a fence longer than any inside it, so that nothing in the text
 * takes effect (threats.md G19). At most `max` UTF-16 units, if `max` is 200 or more.
 */
export function fenced(text: string, max: number): string {
  const calm = text.replaceAll(LONG_RUN, '$1');
  const ticks = longestRun(calm, /`+/g);
  const tildes = longestRun(calm, /~+/g);
  const fence = (ticks <= tildes ? '`' : '~').repeat(Math.max(3, Math.min(ticks, tildes) + 1));
  const room = max - 2 * fence.length - 4;
  const shown = calm.length > room ? `${calm.slice(0, room).toWellFormed()}\n…` : calm;
  return `${fence}\n${shown}\n${fence}`;
}

function longestRun(text: string, run: RegExp): number {
  return [...text.matchAll(run)].reduce((most, [marks]) => Math.max(most, marks.length), 0);
}
