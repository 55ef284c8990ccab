import { serveJobs } from '../base/serve-jobs.ts';
import { findCommandText } from './decide/command-text.ts';
import type { MarkdownAnswer, MarkdownAsk } from './markdown-jobs.ts';
import { cleanMarkdown } from './read/clean-markdown.ts';
import { makeInert } from './render/make-inert.ts';

serveJobs(answer);

function answer(ask: MarkdownAsk): MarkdownAnswer {
  if ('findCommandText' in ask) return { texts: findCommandText(ask.findCommandText, ask.phrase) };
  if ('cleanMarkdown' in ask) return cleanMarkdown(ask.cleanMarkdown);
  const text = makeInert(ask.makeInert, ask.max);
  return text === undefined ? undefined : { text, notes: [] };
}
