/**
 * A zero-width space, which readers of the page do not see, written so that it is visible in the
 * source.
 */
export const BREAK = '&#8203;';
export const MENTION = /(?<!\w)@(?=[\w-])/g;
export const GH_REFERENCE = /\b(GH)\\?-(?=\d)/gi;
/** URLs that GitHub turns into a backlink on the issue, pull request, discussion or commit. */
export const THREAD_URL =
  /^(?:https?:)?\/\/+[^/]+\/+[^/]+\/+[^/]+\/+(?:issues|pull|discussions|commit)\/+\w/i;
const REFERENCE = /(?<!&)#(?=\d)/g;
const THREAD_PATH = /\/(?:issues|pull|discussions|commit)\//i;
const ADDRESS = /(https?:|www)(?=[/.])/gi;

/**
 * One line of somebody's words (a title, a name), without effect on GitHub and without Markdown.
 */
export function inertLine(text: string, max = 200): string {
  const flat = text.replaceAll(/[\s\0]+/g, ' ').trim();
  const cut = flat.length > max ? `${flat.slice(0, max - 1).toWellFormed()}…` : flat;
  const calm = cut
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/([\\`*_[\]|~!])/g, '\\$1')
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(REFERENCE, `#${BREAK}`)
    .replaceAll(GH_REFERENCE, `$1${BREAK}-`);
  return THREAD_PATH.test(calm) ? calm.replaceAll(ADDRESS, `$1${BREAK}`) : calm;
}

/** The same for the start of a line, without links: neither a command nor a URL in it works. */
export function plainLine(text: string, max?: number): string {
  return inertLine(text, max)
    .replaceAll(ADDRESS, `$1${BREAK}`)
    .replace(/^([^\p{L}\p{N}/]*)\//u, '$1\\/');
}
