const MARKDOWN_MAX = 20_000;
const MARKS_MAX = 2_000;
const DEEP_LINE = /^[ \t]*(?:(?:>|[+*-][ \t]|\d{1,9}[.)][ \t])[ \t]*){8}/m;

/**
 * What is longer, nests deeper or has more marks is shown as it was written: micromark
 * takes quadratic time for it (6 s for 32 KB of `1. 1. 1. `) and would hold up everybody else.
 */
export function isCostly(text: string): boolean {
  if (text.length > MARKDOWN_MAX || DEEP_LINE.test(text)) return true;
  return (text.match(/[*_~[]/g)?.length ?? 0) > MARKS_MAX;
}
