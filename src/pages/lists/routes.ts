import { Hono } from 'hono';
import { html } from 'hono/html';
import { showPage, type PagesEnv } from '../layout.ts';
import { environmentsView } from './environments.ts';
import { placeOf } from './part.ts';

/** GET /environments. */
export const environmentRoutes = new Hono<PagesEnv>().get('/', async (c) => {
  const body = html`<div class="page">
    <h1>Environments</h1>
    ${await environmentsView(c.get('api'), placeOf(c, '/environments'), new Date())}
  </div>`;
  return showPage(c, { title: 'Environments', section: 'environments', body });
});
