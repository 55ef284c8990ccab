import { TimedThread } from '../base/timed-thread.ts';
import type { DiffLine } from './diff.ts';

export type PageAsk =
  | { markdown: string }
  | { oldText: string; newText: string }
  | { code: string; language: string };
/** Empty if there is nothing to show; `code` is markup, line by line. */
export type PageAnswer = { html?: string; lines?: DiffLine[]; code?: string[] };

interface Waiting {
  ask: PageAsk;
  key: string;
  settle: (answer: PageAnswer) => void;
}

/**
 * How many characters of texts and answers are cached, because open pages are rendered again and
 * again.
 */
const REMEMBERED_MAX = 4_000_000;

const thread = new TimedThread<PageAsk, PageAnswer>('page-thread', import.meta.url);
const remembered = new Map<string, PageAnswer>();
let rememberedChars = 0;
let waiting: Waiting[] = [];

/**
 * Runs work that may be slow for malicious texts on a thread. All that one page asks for at once is
 * one job, so a page costs at most a second. Whatever was not done in time is shown unformatted
 * (threats.md G15).
 */
export async function onPageThread(ask: PageAsk): Promise<PageAnswer> {
  const key = keyOf(ask);
  const known = remembered.get(key);
  if (known) return known;
  return new Promise((settle) => {
    waiting.push({ ask, key, settle });
    if (waiting.length === 1) queueMicrotask(() => void runAll());
  });
}

function keyOf(ask: PageAsk): string {
  if ('markdown' in ask) return `m${ask.markdown}`;
  if ('code' in ask) return `c${ask.language}\0${ask.code}`;
  return `d${ask.oldText}\0${ask.newText}`;
}

async function runAll(): Promise<void> {
  const job = waiting;
  waiting = [];
  const { answers, gaveUp } = await thread.run(job.map(({ ask }) => ask));
  job.forEach(({ key, settle }, at) => {
    const answer = answers[at];
    // What made the thread give up is not tried again.
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

function sizeOf(key: string, { html = '', lines = [], code = [] }: PageAnswer): number {
  const length = code.reduce((sum, line) => sum + line.length, html.length);
  return 2 * key.length + length + 100 * lines.length;
}
