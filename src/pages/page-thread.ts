import { serveJobs } from '../base/serve-jobs.ts';
import { compareTexts } from './diff.ts';
import type { PageAnswer, PageAsk } from './page-jobs.ts';
import { renderMarkdown } from './render-markdown.ts';

serveJobs((ask: PageAsk): PageAnswer => {
  if ('markdown' in ask) return { html: renderMarkdown(ask.markdown) };
  const lines = compareTexts(ask.oldText, ask.newText);
  return lines === undefined ? {} : { lines };
});
