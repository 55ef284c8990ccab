import { Hono } from 'hono';
import { html } from 'hono/html';
import { apiFor } from '../api.ts';
import type { PagesBackend } from '../backend.ts';
import { renderPage, type PagesEnv } from '../layout.ts';
import { environmentsView } from './environments.ts';
import { placeOf } from './part.ts';

/** GET /environments. */
export function environmentRoutes(backend: PagesBackend): Hono<PagesEnv> {
  return new Hono<PagesEnv>().get('/', async (c) => {
    const viewer = c.get('viewer');
    const api = apiFor(backend, viewer.session);
    const body = html`<div class="page">
      <h1>Environments</h1>
      ${await environmentsView(api, placeOf(c, '/environments'), new Date())}
    </div>`;
    return c.html(renderPage(c, { title: 'Environments', section: 'environments', body }, viewer));
  });
}
