import { html } from 'hono/html';
import { Hono } from 'hono';
import { apiFor, type Api } from '../api.ts';
import type { PagesBackend } from '../backend.ts';
import type { Html } from '../html.ts';
import { renderPage, type PagesEnv, type Section } from '../layout.ts';
import { environmentsPage } from './environments.ts';

/** Renders what a list shows now. */
type Content = (api: Api, now: Date) => Promise<Html>;

const LISTS: readonly [section: Section, title: string, content: Content][] = [
  ['environments', 'Environments', environmentsPage],
];

/** The pages that only show lists. */
export function listRoutes(backend: PagesBackend): Hono<PagesEnv> {
  const routes = new Hono<PagesEnv>();
  for (const [section, title, content] of LISTS) {
    routes.get(`/${section}`, async (c) => {
      const viewer = c.get('viewer');
      const shown = await content(apiFor(backend, viewer.session), new Date());
      const body = html`<div class="page">
        <h1>${title}</h1>
        ${shown}
      </div>`;
      return c.html(renderPage(c, { title, section, body }, viewer));
    });
  }
  return routes;
}
