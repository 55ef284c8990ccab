import { Hono, type Context } from 'hono';
import { ProblemError } from '../../contract/problem.ts';
import type { PagesBackend } from '../backend.ts';
import { clearSessionCookie } from '../cookie.ts';
import { renderPage, type PagesEnv } from '../layout.ts';
import { settingsView, type KeyNotice } from './view.ts';

/** GET /settings and the forms on it: a person's keys, and signing out. */
export function settingsRoutes(backend: PagesBackend): Hono<PagesEnv> {
  const show = async (c: Context<PagesEnv>, status: 200 | 400, notice?: KeyNotice) => {
    const viewer = c.get('viewer');
    const keys = await backend.keys.list(viewer.session);
    const body = settingsView({ viewer, keys, now: new Date(), ...(notice ? { notice } : {}) });
    return c.html(renderPage(c, { title: 'Settings', section: 'settings', body }, viewer), status);
  };
  return new Hono<PagesEnv>()
    .get('/', (c) => show(c, 200))
    .post('/keys', async (c) => {
      const { name } = await c.req.parseBody();
      try {
        const trimmed = typeof name === 'string' ? name.trim() : '';
        const created = await backend.keys.create(c.get('viewer').session, trimmed);
        return await show(c, 200, { type: 'created', key: created.key, id: created.item.id });
      } catch (error) {
        if (!(error instanceof ProblemError) || error.code !== 'invalid_request') throw error;
        return show(c, 400, { type: 'refused', reason: error.message });
      }
    })
    .post('/keys/:id/revoke', async (c) => {
      const revoked = await backend.keys.revoke(c.get('viewer').session, c.req.param('id'));
      return revoked ? c.redirect('/settings', 303) : c.notFound();
    })
    .post('/sign-out', async (c) => {
      await backend.sessions.end(c.get('viewer').token);
      clearSessionCookie(c, backend.publicUrl);
      return c.redirect('/login', 303);
    });
}
