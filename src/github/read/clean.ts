import { onThread } from '../markdown-jobs.ts';

const SENTENCES = {
  html_comments: 'HTML comments were taken out',
  invisible_characters: 'invisible characters were taken out',
  direction_marks: 'text direction marks were taken out',
  image_text: 'images were replaced by their addresses',
  hidden_attributes: 'attributes, titles and elements that pages do not show were taken out',
  link_definitions: 'definitions of links and footnotes that pages do not show were taken out',
  angle_brackets: 'names in angle brackets, which pages do not show, were left in place',
  folded: 'sections that pages show folded stand unfolded',
  drawn: 'diagrams and formulas, which pages show as pictures, stand as their source',
  cut: 'long texts were cut, marked […]',
  left_out: 'texts that take too long to read as Markdown were left out',
} as const;

/** What was removed from a text, or made visible in it; the prompt says so. */
export type CleanNote = keyof typeof SENTENCES;

export interface Cleaned {
  text: string;
  notes: Set<CleanNote>;
}

/**
 * Characters that no browser shows: zero-width ones, tags, fillers, repeated variation selectors.
 * The joiner inside an emoji and the selector after one are kept.
 */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}\uFE0F?)\u200D|(?<=\uFE0E|\uFE0F)(?:\uFE0E|\uFE0F)|(?!\u200D|\uFE0E|\uFE0F)\p{Default_Ignorable_Code_Point}/gu;
/**
 * Right-to-left overrides and isolates: they show text in another order than the agent reads it.
 */
const DIRECTION = /\p{Bidi_Control}/gu;
const CONTROL = /(?![\t\n])\p{Cc}/gu;
/** Characters written as numbers or names; some are invisible. */
const NUMBERED = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi;
const NAMED =
  /&(?:ZeroWidthSpace|Negative(?:VeryThin|Thin|Medium|Thick)Space|zwn?j|[lr]rm|shy|NoBreak|af|ApplyFunction|ic|InvisibleComma|it|InvisibleTimes);/g;
/** Without any of these, Markdown can hide nothing. */
const MAY_HIDE = /[<[$]|```|~~~|\|/;
/** This many times the length that is shown is read, because cleaning makes the text shorter. */
const READ_FACTOR = 2;

/**
 * A person's text as the agent may see it (threats.md G5): without what GitHub does not show, and
 * without titles and alternative texts of images and links. `notes` names each kind of change. At
 * most `max` UTF-16 units. A text that takes too long to parse is left out entirely (threats.md
 * G15).
 */
export async function cleanText(text: string, max: number): Promise<Cleaned> {
  const { source, notes } = begin(text, max);
  if (!MAY_HIDE.test(source)) return cleanCharacters(source, max, notes);
  const job = await onThread('show', { cleanMarkdown: source });
  if (!('answer' in job) || !job.answer || !('text' in job.answer)) {
    return { text: '[…]', notes: new Set(['left_out']) };
  }
  for (const note of job.answer.notes) if (isNote(note)) notes.add(note);
  return cleanCharacters(job.answer.text, max, notes);
}

/** One line that GitHub shows as it is: a title, a branch, a name. */
export function cleanLine(text: string, max = 300): Cleaned {
  const { text: clean, notes } = cleanCode(text, max);
  return { text: clean.replaceAll(/\s+/g, ' '), notes };
}

/** Code or a log, of which GitHub shows every character. */
export function cleanCode(text: string, max: number): Cleaned {
  const { source, notes } = begin(text, max);
  return cleanCharacters(source, max, notes);
}

/** The beginning of a text, as far as it is read. */
function begin(text: string, max: number): { source: string; notes: Set<CleanNote> } {
  const read = text.slice(0, READ_FACTOR * max);
  return {
    source: read
      .replaceAll(/\r\n?/g, '\n')
      .replace(/^\uFEFF/, '')
      .toWellFormed(),
    notes: new Set(read.length < text.length ? ['cut'] : []),
  };
}

function cleanCharacters(source: string, max: number, notes: Set<CleanNote>): Cleaned {
  const drop = (from: string, pattern: RegExp, note: CleanNote): string => {
    const result = from.replaceAll(pattern, '');
    if (result !== from) notes.add(note);
    return result;
  };
  let result = drop(source, DIRECTION, 'direction_marks');
  for (const pattern of [INVISIBLE, CONTROL, NAMED]) {
    result = drop(result, pattern, 'invisible_characters');
  }
  result = result.replaceAll(NUMBERED, (written, hex?: string, decimal?: string) => {
    const seen = showsNothing(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    if (seen) notes.add('invisible_characters');
    return seen ? '' : written;
  });
  result = result.trim();
  if (result.length <= max && !notes.has('cut')) return { text: result, notes };
  notes.add('cut');
  return { text: `${result.slice(0, max).toWellFormed().trimEnd()}\n[…]`, notes };
}

function showsNothing(code: number): boolean {
  if (code > 0x10_ff_ff) return false;
  const character = String.fromCodePoint(code);
  return [INVISIBLE, DIRECTION, CONTROL].some((pattern) => character.search(pattern) !== -1);
}

function isNote(note: string): note is CleanNote {
  return Object.hasOwn(SENTENCES, note);
}

export function describeNotes(notes: ReadonlySet<CleanNote>): string[] {
  return [...notes].toSorted().map((note) => SENTENCES[note]);
}
