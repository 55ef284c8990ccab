import { TimedThread } from '../base/timed-thread.ts';
import type { DiffLine } from './diff.ts';

export type PageAsk = { markdown: string } | { oldText: string; newText: string };
/** Neither where there is nothing to show. */
export type PageAnswer = { html?: string; lines?: DiffLine[] };

interface Waiting {
  ask: PageAsk;
  key: string;
  settle: (answer: PageAnswer) => void;
}

/** Characters of texts and answers that are remembered: pages that are open are made anew again and again. */
const REMEMBERED_MAX = 4_000_000;

const thread = new TimedThread<PageAsk, PageAnswer>('page-thread', import.meta.url);
const remembered = new Map<string, PageAnswer>();
let rememberedChars = 0;
let waiting: Waiting[] = [];

/**
 * What takes long for texts that were written to be slow, done on a thread. All that one page asks for in
 * one go is one job, so that a page costs a second at most; what did not get done is shown as it is
 * (threats.md G15).
 */
export async function onPageThread(ask: PageAsk): Promise<PageAnswer> {
  const key = 'markdown' in ask ? `m${ask.markdown}` : `d${ask.oldText}\0${ask.newText}`;
  const known = remembered.get(key);
  if (known) return known;
  return new Promise((settle) => {
    waiting.push({ ask, key, settle });
    if (waiting.length === 1) queueMicrotask(() => void runAll());
  });
}

async function runAll(): Promise<void> {
  const job = waiting;
  waiting = [];
  const { answers, gaveUp } = await thread.run(job.map(({ ask }) => ask));
  job.forEach(({ key, settle }, at) => {
    const answer = answers[at];
    // What made the job end is not tried again.
    if (answer || (at === answers.length && gaveUp !== 'busy')) remember(key, answer ?? {});
    settle(answer ?? {});
  });
}

function remember(key: string, answer: PageAnswer): void {
  remembered.set(key, answer);
  rememberedChars += sizeOf(key, answer);
  for (const [oldest, old] of remembered) {
    if (rememberedChars <= REMEMBERED_MAX) return;
    remembered.delete(oldest);
    rememberedChars -= sizeOf(oldest, old);
  }
}

function sizeOf(key: string, { html = '', lines = [] }: PageAnswer): number {
  return 2 * key.length + html.length + 100 * lines.length;
}
