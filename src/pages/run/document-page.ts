import { html } from 'hono/html';
import type { ArtifactResponse } from '../../contract/artifact.ts';
import type { RunItem } from '../../contract/run.ts';
import type { PagesBackend, Session } from '../backend.ts';
import type { Html } from '../html.ts';
import { htmlMarkdown } from '../markdown.ts';
import { reveal } from '../text.ts';

/** Longer texts are downloaded instead of shown. */
export const PREVIEW_MAX_BYTES = 256 * 1024;

interface Document {
  title: string;
  /** The text of a plan; that of a file is in `text`. */
  markdown?: string;
  text?: string;
}

/** The text of a file, if it is short enough; undefined for any other artifact. */
export async function textOf(
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

/** A page that shows a plan or a text file. */
export function documentPage(run: RunItem, document: Document): Html {
  const { title, text } = document;
  const content = document.markdown === undefined ? undefined : htmlMarkdown(document.markdown);
  return html`<div class="page medium">
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="/runs">Runs</a> /
      <a href="/runs/${encodeURIComponent(run.run_id)}/artifacts"><bdi>${run.title}</bdi></a>
    </nav>
    <h1><bdi>${title}</bdi></h1>
    <div class="card">${content ?? html`<pre class="wrap">${reveal(text ?? '')}</pre>`}</div>
  </div>`;
}
