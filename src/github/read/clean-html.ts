/**
 * Comments, processing instructions, CDATA, declarations, and whatever else HTML treats as a
 * comment.
 */
const UNSHOWN =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<!(?!--|\[CDATA\[)[^>]*>?|<\/(?![a-z])[^>]*>?/gi;
/** Elements whose content is not shown. */
const UNSHOWN_ELEMENT =
  /<(audio|canvas|datalist|noscript|object|rp|script|style|template|video)\b/gi;
const TAG = /<(\/?)([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^"'<>])*)(["']*)>?/gi;
/** Parsers disagree on whether Markdown is read after these, so their tags are dropped. */
const DOUBTFUL = /^\s*<![a-z]|<\/?textarea/;
/** The attributes that are kept: link targets, and short ones for the layout. */
const SHOWN_ATTRIBUTE =
  /[\s/](?:(href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))|(?:width|height|align|colspan|rowspan|start)\s*=\s*["']?[\w%]{1,10}["']?|open)(?=[\s/]|$)/gi;

/** Elements that change how their text looks. A page does not show the names of any others. */
const KNOWN =
  /^(?:a|abbr|audio|b|bdo|blockquote|br|canvas|caption|center|cite|code|col|colgroup|datalist|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|ins|kbd|li|mark|noscript|object|ol|p|picture|pre|q|rp|rt|ruby|s|samp|script|section|small|source|span|strike|strong|style|sub|summary|sup|table|tbody|td|template|tfoot|th|thead|time|tr|tt|u|ul|var|video|wbr)$/i;
const NAME_MAX = 40;

export type HtmlNote =
  | 'html_comments'
  | 'image_text'
  | 'hidden_attributes'
  | 'angle_brackets'
  | 'folded';

/** A piece of HTML as a page shows it, with notes on what was removed. */
export interface CleanHtml {
  text: string;
  notes: Set<HtmlNote>;
  /**
   * Name of a hidden element that starts here and does not end; empty if a quoted attribute value
   * does not end.
   */
  opens: string | undefined;
}

/** Cleans an HTML node: a single tag inside text, or a whole block. */
export function cleanHtml(html: string): CleanHtml {
  const notes = new Set<HtmlNote>();
  const drop = (note: HtmlNote): string => {
    notes.add(note);
    return '';
  };
  const spoken = html.replaceAll(UNSHOWN, () => drop('html_comments'));
  const { shown, opens } = withoutUnshown(spoken);
  if (shown !== spoken) notes.add('hidden_attributes');
  const text = shown.replaceAll(
    TAG,
    (tag: string, end: string, name: string, attributes: string) => {
      if (/^ima?ge?$/i.test(name)) return drop('image_text') + showImage(attributes);
      if (DOUBTFUL.test(html)) return drop('hidden_attributes');
      if (/^details$/i.test(name) && end === '') notes.add('folded');
      if (name.length > NAME_MAX) return drop('hidden_attributes');
      if (!KNOWN.test(name)) notes.add('angle_brackets');
      return cleanTag(tag, `<${end}${name}`, attributes, () => drop('hidden_attributes'));
    },
  );
  return { text, notes, opens: isLeftOpen(html) ? '' : opens };
}

/** Whether a quote is left open, so that a page takes what follows for an attribute's value. */
function isLeftOpen(html: string): boolean {
  return [...html.matchAll(TAG)].some(
    ([, , , attributes = '', quote]) => quote && attributes.trimEnd().endsWith('='),
  );
}

/** The HTML without hidden elements, and the name of one that does not end here. */
function withoutUnshown(html: string): { shown: string; opens: string | undefined } {
  const lower = html.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const kept: string[] = [];
  let at = 0;
  for (const { index, 1: name = '' } of lower.matchAll(UNSHOWN_ELEMENT)) {
    if (index < at) continue;
    kept.push(html.slice(at, index));
    const close = lower.indexOf(`</${name}`, index);
    if (close === -1) return { shown: kept.join(''), opens: name };
    const end = lower.indexOf('>', close);
    at = end === -1 ? html.length : end + 1;
  }
  return { shown: kept.join('') + html.slice(at), opens: undefined };
}

function cleanTag(tag: string, begin: string, attributes: string, drop: () => string): string {
  const rest = attributes.replaceAll(SHOWN_ATTRIBUTE, '');
  if (/^[\s/]*$/.test(rest) && tag.length <= begin.length + attributes.length + 1) return tag;
  const shown = [...attributes.matchAll(SHOWN_ATTRIBUTE)].map(([attribute]) => attribute);
  return `${begin}${shown.join('')}>${drop()}`;
}

function showImage(attributes: string): string {
  const source = [...attributes.matchAll(SHOWN_ATTRIBUTE)].find(([, key]) =>
    /^src$/i.test(key ?? ''),
  );
  return `[image: ${source?.[2] ?? source?.[3] ?? source?.[4] ?? ''}]`;
}
