import { TimedThread, type GaveUp } from '../base/timed-thread.ts';

/** A job for the thread; the name of its text says which function to call. */
export type MarkdownAsk =
  | { findCommandText: string; phrase: string }
  | { makeInert: string; max: number }
  | { cleanMarkdown: string };

/** Undefined if the text could not be made safe. */
export type MarkdownAnswer =
  | { texts: (string | undefined)[] }
  | { text: string; notes: string[] }
  | undefined;

/**
 * Two threads, so that strangers' commands never wait for an agent's text, nor the other way round.
 */
const threads = {
  read: new TimedThread<MarkdownAsk, MarkdownAnswer>('markdown-thread', import.meta.url),
  show: new TimedThread<MarkdownAsk, MarkdownAnswer>('markdown-thread', import.meta.url),
};

/** Runs one job that parses Markdown, and gives up if it takes too long (threats.md G15). */
export async function onThread(
  thread: keyof typeof threads,
  ask: MarkdownAsk,
): Promise<{ answer: MarkdownAnswer } | { gaveUp: GaveUp }> {
  const { answers, gaveUp } = await threads[thread].run([ask]);
  return gaveUp ? { gaveUp } : { answer: answers[0] };
}
