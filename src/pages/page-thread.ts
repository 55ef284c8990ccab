import { serveJobs } from '../base/serve-jobs.ts';
import { compareTexts } from './diff.ts';
import type { PageAnswer, PageAsk } from './page-jobs.ts';
import { highlight } from './highlight.ts';
import { renderMarkdown } from './render-markdown.ts';

serveJobs((ask: PageAsk): PageAnswer => {
  if ('markdown' in ask) return { html: renderMarkdown(ask.markdown) };
  if ('code' in ask) {
    const code = highlight(ask.code, ask.language);
    return code === undefined ? {} : { code };
  }
  const lines = compareTexts(ask.oldText, ask.newText);
  return lines === undefined ? {} : { lines };
});
