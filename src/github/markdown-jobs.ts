import { TimedThread, type GaveUp } from '../base/timed-thread.ts';

/** What the thread is asked, by the function it calls. */
export type MarkdownAsk =
  | { findCommandText: string; phrase: string }
  | { makeInert: string; max: number }
  | { cleanMarkdown: string };

/** Undefined where the text could not be made what it was to be. */
export type MarkdownAnswer =
  | { texts: (string | undefined)[] }
  | { text: string; notes: string[] }
  | undefined;

/** Strangers' commands never wait behind agents' words, nor these behind them. */
const threads = {
  read: new TimedThread<MarkdownAsk, MarkdownAnswer>('markdown-thread', import.meta.url),
  show: new TimedThread<MarkdownAsk, MarkdownAnswer>('markdown-thread', import.meta.url),
};

/** Does one job with parsed Markdown, or gives it up when it takes too long (threats.md G15). */
export async function onThread(
  thread: keyof typeof threads,
  ask: MarkdownAsk,
): Promise<{ answer: MarkdownAnswer } | { gaveUp: GaveUp }> {
  const { answers, gaveUp } = await threads[thread].run([ask]);
  return gaveUp ? { gaveUp } : { answer: answers[0] };
}
