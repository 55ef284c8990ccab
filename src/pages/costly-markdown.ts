const MARKDOWN_MAX = 20_000;
const MARKS_MAX = 2_000;
const DEPTH_MAX = 8;
const CONTAINER = /^[ \t]*(?:>|[+*-][ \t]|\d{1,9}[.)][ \t])/;

/**
 * Whether Markdown is too long, too deeply nested or has too many markers to be rendered. It is
 * shown as plain text then, because micromark takes quadratic time (6 s for 32 KB of `1. 1. 1. `).
 */
export function isCostly(text: string): boolean {
  if (text.length > MARKDOWN_MAX || text.split('\n').some(isDeep)) return true;
  return (text.match(/[*_~[]/g)?.length ?? 0) > MARKS_MAX;
}

/** Whether a line starts this many nested quotes and lists. */
function isDeep(line: string): boolean {
  let rest = line;
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    const [marks] = CONTAINER.exec(rest) ?? [];
    if (marks === undefined) return false;
    rest = rest.slice(marks.length);
  }
  return true;
}
