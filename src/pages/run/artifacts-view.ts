import { html } from 'hono/html';
import type { ArtifactItem } from '../../contract/artifact.ts';
import type { RunItem } from '../../contract/run.ts';
import { formatBytes, runPath } from '../format.ts';
import { card } from '../card.ts';
import { buttonForm } from '../forms.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import { PREVIEW_MAX_BYTES } from './document-page.ts';
import { outLink } from './outcome-view.ts';

type File = Extract<ArtifactItem, { artifact_type: 'FILE' }>['data'];

/** Types of files that can be shown as text. */
const TEXT = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|x-sh)$/;

/** The images that the run was started with. */
export function imagesView(path: string, count: number): Html | '' {
  if (count === 0) return '';
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  return card(
    'images',
    'Images of the prompt',
    html`${numbers.map((at) => imageView(`${path}/images/${at}`, `Image ${at}`, `prompt-${at}`))}`,
  );
}

/** All artifacts but pull requests, which are shown with the outcome, and references to them. */
export function listedArtifacts({ artifacts }: RunItem): ArtifactItem[] {
  const shown = new Set(
    artifacts.map((it) => (it.artifact_type === 'PULL_REQUEST' ? it.data.url : undefined)),
  );
  return artifacts.filter(
    (it) =>
      it.artifact_type !== 'PULL_REQUEST' &&
      (it.artifact_type !== 'EXTERNAL_REFERENCE' || !shown.has(it.data.url)),
  );
}

/** The run's files, plans and references. */
export function artifactsView({ run, viewer }: { run: RunItem; viewer?: Viewer }): Html | '' {
  const listed = listedArtifacts(run);
  if (listed.length === 0) return '';
  return card(
    'artifacts',
    'Artifacts',
    html`<ul class="plain lines">
      ${listed.map(
        (it) =>
          html`<li class="artifact">
            <div>${artifactView(run, it)}</div>
            ${viewer ? publishing(run, it, viewer) : ''}
          </li>`,
      )}
    </ul>`,
  );
}

function artifactPath(run: RunItem, uid: string): string {
  return `${runPath(run.run_id)}/artifacts/${encodeURIComponent(uid)}`;
}

function stored(run: RunItem, uid: string, name: string): Html {
  return html`<a href="${artifactPath(run, uid)}"><bdi>${name}</bdi></a>`;
}

/** Whether anybody may read it; owners also get the button to change that. */
function publishing(run: RunItem, artifact: ArtifactItem, viewer: Viewer): Html | '' {
  const uid = 'artifact_uid' in artifact.data ? artifact.data.artifact_uid : undefined;
  if (uid === undefined) return '';
  const about = { action: `${artifactPath(run, uid)}/visibility`, tone: 'quiet' } as const;
  const isOwner = viewer.session.role === 'owner';
  if (!('public' in artifact && artifact.public)) {
    if (!isOwner) return '';
    const confirm = 'Publish it? Anybody with the link can read it without signing in.';
    return buttonForm(viewer, { ...about, label: 'Publish', confirm, sends: ['public', 'yes'] });
  }
  const address = `/api/v1/agent/artifacts/${encodeURIComponent(uid)}`;
  const content = artifact.artifact_type === 'PLAN' ? address : `${address}/download`;
  return html`<a class="tag" href="${content}">Public link</a>
    ${isOwner ? buttonForm(viewer, { ...about, label: 'Make private' }) : ''}`;
}

function fileView(run: RunItem, { artifact_uid: uid, ...file }: File): Html {
  const { filename, title = filename, mime_type: type, size_bytes: size } = file;
  const isText = size !== undefined && size <= PREVIEW_MAX_BYTES && TEXT.test(type);
  return html`${stored(run, uid, title)}
    <span class="muted">${size === undefined ? '' : formatBytes(size)}</span>
    ${isText ? html`<a href="${artifactPath(run, uid)}?view=text">Show</a>` : ''}`;
}

function artifactView(run: RunItem, artifact: ArtifactItem): Html | '' {
  switch (artifact.artifact_type) {
    case 'PULL_REQUEST':
      return '';
    case 'EXTERNAL_REFERENCE': {
      const { url, title, reference_type: type } = artifact.data;
      return html`${outLink(url, title ?? url)} <span class="tag">${type}</span>`;
    }
    case 'PLAN': {
      const { artifact_uid: uid, document_uid, title } = artifact.data;
      return html`${stored(run, uid ?? document_uid, title ?? 'Plan')}
        <span class="tag">plan</span>`;
    }
    case 'FILE':
      return fileView(run, artifact.data);
    case 'SCREENSHOT': {
      const { artifact_uid: uid, description } = artifact.data;
      const name = description ?? 'Screenshot';
      return html`${stored(run, uid, name)} ${imageView(artifactPath(run, uid), name, uid)}`;
    }
    default:
      return artifact satisfies never;
  }
}

/** A thumbnail. A click enlarges it; another click, or Escape, closes it. */
function imageView(src: string, name: string, id: string): Html {
  return html`<button class="thumb" popovertarget="image-${id}" aria-label="Enlarge ${name}">
      <img src="${src}" alt="${name}" loading="lazy" />
    </button>
    <div class="lightbox" popover id="image-${id}">
      <button popovertarget="image-${id}" aria-label="Close">
        <img src="${src}" alt="${name}" loading="lazy" />
      </button>
    </div>`;
}
