import { onThread } from '../markdown-jobs.ts';
import { cutMarkdown, fenced } from './cut.ts';

/** Without any of these, a text has no effect on GitHub. */
const MEANS_SOMETHING = /[@#&<[`~\\]|:\/\/|www\.|gh-|(?:^|[\s*_])\//i;

/**
 * Text of an agent (or of anybody) that we post, made harmless: no mention, issue reference,
 * closing keyword, HTML, image, link definition, marker or `/command` in it works, but it reads the
 * same (threats.md G8). What cannot be proven harmless, or takes too long to parse, is shown in a
 * code block (threats.md G15, G19). At most `max` UTF-16 units; the result must stand on lines of
 * its own.
 */
export async function inert(text: string, max: number): Promise<string> {
  const source = text.replaceAll(/\r\n?/g, '\n').replaceAll(/[\0\uFEFF]/g, '');
  if (!MEANS_SOMETHING.test(source)) return cutMarkdown(source, max);
  const job = await onThread('show', { makeInert: source, max });
  return 'answer' in job && job.answer && 'text' in job.answer
    ? job.answer.text
    : fenced(source, max);
}
