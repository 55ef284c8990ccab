import { html } from 'hono/html';
import type { ArtifactResponse } from '../../contract/artifact.ts';
import type { RunItem } from '../../contract/run.ts';
import type { PagesBackend, Session } from '../backend.ts';
import type { Html } from '../html.ts';
import { htmlMarkdown } from '../markdown.ts';
import { lightStart, reveal } from '../text.ts';
import { restView } from './rest-view.ts';

/** Longer texts are downloaded instead of shown. */
export const PREVIEW_MAX_BYTES = 256 * 1024;

interface Document {
  title: string;
  /** The text of a plan; that of a file is in `text`. */
  markdown?: string;
  text?: string;
}

/** The text of a file, if it is short enough; undefined for any other artifact. */
export async function documentText(
  backend: PagesBackend,
  session: Session,
  artifact: ArtifactResponse,
): Promise<string | undefined> {
  if (artifact.artifact_type !== 'FILE') return undefined;
  const { download_url: address, size_bytes: size } = artifact.data;
  if (size === undefined || size > PREVIEW_MAX_BYTES) return undefined;
  const isOurs = new URL(address).origin === new URL(backend.publicUrl).origin;
  const answer = await (isOurs ? backend.api(new Request(address), session) : fetch(address));
  return answer.ok ? answer.text() : undefined;
}

export function documentOf(artifact: ArtifactResponse, text: string | undefined): Document {
  if (artifact.artifact_type === 'PLAN')
    return { title: artifact.data.title ?? 'Plan', markdown: artifact.data.content };
  const title = artifact.artifact_type === 'FILE' ? artifact.data.filename : 'Artifact';
  return { title, ...(text === undefined ? {} : { text }) };
}

/** Longer ones are cut to about this weight in bytes, compressed. */
const WEIGHT = 30_000;

/** A page that shows a plan or a text file. */
export function documentPage(run: RunItem, document: Document, isWhole: boolean): Html {
  const { title, text = '', markdown } = document;
  const all = markdown ?? text;
  const shown = isWhole ? all : lightStart(all, WEIGHT);
  const content = markdown === undefined ? undefined : htmlMarkdown(shown);
  return html`<div class="page medium">
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="/runs">Runs</a> /
      <a href="/runs/${encodeURIComponent(run.run_id)}/artifacts"><bdi>${run.title}</bdi></a>
    </nav>
    <h1><bdi>${title}</bdi></h1>
    <div class="card">
      ${content ?? html`<pre class="wrap">${reveal(shown)}</pre>`}
      ${restView(shown, all, markdown === undefined ? 'view=text&' : '')}
    </div>
  </div>`;
}
