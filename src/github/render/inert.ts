import { onThread } from '../markdown-jobs.ts';
import { cutMarkdown, fenced } from './cut.ts';

/** Without any of these nothing in a text means anything but its letters. */
const MEANS_SOMETHING = /[@#&<[`~\\]|:\/\/|www\.|gh-|(?:^|[\s*_])\//i;

/**
 * Text of an agent (or of anybody) that we show in our own name, made to do nothing: no mention, issue
 * reference, closing word, HTML, image, link definition, marker or `/command` in it works, while it reads
 * the same (threats.md G8). What cannot be proven to be so, or takes too long, comes as it is in a code
 * block (threats.md G15, G19). At most `max` UTF-16 units; it stands on lines of its own.
 */
export async function inert(text: string, max: number): Promise<string> {
  const source = text.replaceAll(/\r\n?/g, '\n').replaceAll(/[\0\uFEFF]/g, '');
  if (!MEANS_SOMETHING.test(source)) return cutMarkdown(source, max);
  const job = await onThread('show', { makeInert: source, max });
  return 'answer' in job && job.answer && 'text' in job.answer
    ? job.answer.text
    : fenced(source, max);
}
