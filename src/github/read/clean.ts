/** What was taken out of a text or made visible in it, to be said in the prompt. */
export type CleanNote =
  | 'html_comments'
  | 'invisible_characters'
  | 'direction_marks'
  | 'image_text'
  | 'hidden_attributes'
  | 'cut';

export interface Cleaned {
  text: string;
  notes: Set<CleanNote>;
}

const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/**
 * Characters no browser shows: zero-width ones, tags, fillers, variation selectors in a row. The joiner
 * inside an emoji and the selector after one stay.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}\uFE0F?)\u200D|(?<=\uFE0E|\uFE0F)(?:\uFE0E|\uFE0F)|(?!\u200D|\uFE0E|\uFE0F)\p{Default_Ignorable_Code_Point}/gu;
/** Right-to-left overrides and isolates: they show another order than the agent reads. */
const DIRECTION = /\p{Bidi_Control}/gu;
const CONTROL = /(?![\t\n])\p{Cc}/gu;
const IMAGE = /!\[([^\]]*)\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)(\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const IMAGE_TAG = /<img\b[^>]*>/gi;
const LINK_TITLE = /(\]\([^()\s]+)\s+(?:"[^"]*"|'[^']*')\s*\)/g;
const HIDDEN_ATTRIBUTE =
  /\s(?:alt|title|aria-[\w-]+|data-[\w-]+|placeholder|style)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi;
const TAG = /<\/?[a-z][^<>]*>/gi;

/**
 * Text of a person as the agent may see it (threats.md G5): what GitHub does not show is taken out,
 * what an image or link says besides is taken out, and `notes` names each kind. Length is bounded by
 * `max` UTF-16 units.
 */
export function cleanText(text: string, max: number): Cleaned {
  const notes = new Set<CleanNote>();
  const replace = (
    from: string,
    pattern: RegExp,
    to: string | ((match: string, ...groups: string[]) => string),
    note: CleanNote,
  ): string => {
    const result =
      typeof to === 'string' ? from.replaceAll(pattern, to) : from.replaceAll(pattern, to);
    if (result !== from) notes.add(note);
    return result;
  };
  let result = text.replaceAll(/\r\n?/g, '\n').toWellFormed();
  result = replace(result, HTML_COMMENT, '', 'html_comments');
  result = replace(result, IMAGE, (_, _alt, address) => `[image: ${address ?? ''}]`, 'image_text');
  result = replace(result, IMAGE_TAG, showImage, 'image_text');
  result = replace(result, LINK_TITLE, (_, link) => `${link ?? ''})`, 'hidden_attributes');
  result = replace(result, TAG, (tag) => tag.replaceAll(HIDDEN_ATTRIBUTE, ''), 'hidden_attributes');
  result = replace(result, DIRECTION, '', 'direction_marks');
  result = replace(result, INVISIBLE, '', 'invisible_characters');
  result = replace(result, CONTROL, '', 'invisible_characters');
  result = result.trim();
  if (result.length > max) {
    notes.add('cut');
    result = `${result.slice(0, max).toWellFormed().trimEnd()}\n[…]`;
  }
  return { text: result, notes };
}

function showImage(tag: string): string {
  const source = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  return `[image: ${source?.[1] ?? source?.[2] ?? source?.[3] ?? ''}]`;
}

const SENTENCES: Record<CleanNote, string> = {
  html_comments: 'HTML comments were taken out',
  invisible_characters: 'invisible characters were taken out',
  direction_marks: 'text direction marks were taken out',
  image_text: 'images were replaced by their addresses',
  hidden_attributes: 'attributes that pages do not show were taken out',
  cut: 'long texts were cut, marked […]',
};

export function describeNotes(notes: ReadonlySet<CleanNote>): string[] {
  return [...notes].toSorted().map((note) => SENTENCES[note]);
}
