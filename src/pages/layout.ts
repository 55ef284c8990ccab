import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Api } from './api.ts';
import { assetUrl } from './assets.ts';
import type { Guest, Session } from './backend.ts';
import type { Html } from './html.ts';
import { formToken } from './security.ts';

export type Section = 'runs' | 'overview' | 'schedules' | 'agents' | 'environments' | 'settings';

export interface Page {
  title: string;
  body: Html;
  /** The current entry of the navigation. */
  section?: Section;
  /** Without scripts, the page reloads itself after this many seconds. */
  refreshSeconds?: number;
  /** Shown as to somebody who is not signed in. */
  isForGuest?: boolean;
}

/** Who looks at a page: the session, and its secret token, which form tokens are derived from. */
export interface Viewer {
  session: Session;
  token: string;
}

/** Set by the middleware of pages that need a session. */
export interface PagesEnv {
  Variables: {
    viewer: Viewer;
    /** The service, called as the viewer. */
    api: Api;
    guest?: Guest;
    secureHeadersNonce?: string;
    hasGithub?: boolean;
  };
}

const SECTIONS = [
  ['runs', 'Runs'],
  ['overview', 'Overview'],
  ['schedules', 'Schedules'],
  ['agents', 'Agents'],
  ['environments', 'Environments'],
  ['settings', 'Settings'],
] as const;

/** Hidden field that every form that changes something needs. `action` is the form's own path. */
export function tokenField(viewer: Viewer, action: string): Html {
  return html`<input type="hidden" name="form_token" value="${formToken(viewer.token, action)}" />`;
}

function navigation(viewer: Viewer, section: Page['section']): Html {
  const links = SECTIONS.map(([name, label]) => {
    const current = name === section ? html` aria-current="page"` : '';
    return html`<li><a href="/${name}" ${current}>${label}</a></li>`;
  });
  const { displayName, teamName } = viewer.session;
  return html`
    <nav class="sections" aria-label="Main">
      <ul>
        ${links}
      </ul>
    </nav>
    <form class="who" method="post" action="/settings/sign-out">
      ${tokenField(viewer, '/settings/sign-out')}
      <span
        ><bdi>${displayName}</bdi> <span class="muted">· <bdi>${teamName}</bdi></span></span
      >
      <button class="quiet">Sign out</button>
    </form>
  `;
}

/** Answers with a page, as whoever looks at it may see it. */
export async function showPage(
  c: Context<PagesEnv>,
  page: Page,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  return c.html(renderPage(page, c.get('secureHeadersNonce'), c.get('viewer')), status);
}

/** The whole document around a page's body. */
function renderPage(page: Page, nonce: string | undefined, viewer: Viewer | undefined): Html {
  const refresh =
    page.refreshSeconds === undefined
      ? ''
      : html`<noscript><meta http-equiv="refresh" content="${page.refreshSeconds}" /></noscript>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Runlink</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetUrl('runlink.css')}" />
        ${refresh}
        <script src="${assetUrl('runlink.js')}" nonce="${nonce}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <a class="brand" href="/runs"
            ><img src="${assetUrl('icon.svg')}" alt="" width="22" height="22" />Runlink</a
          >
          ${viewer && !page.isForGuest ? navigation(viewer, page.section) : ''}
        </header>
        <main id="main" tabindex="-1">${page.body}</main>
      </body>
    </html>`;
}
