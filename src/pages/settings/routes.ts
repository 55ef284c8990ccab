import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { endpoints } from '../../contract/endpoints.ts';
import { text } from '../../contract/primitives.ts';
import { apiFor } from '../api.ts';
import type { PagesBackend } from '../backend.ts';
import { clearSessionCookie, keepOnce, takeOnce } from '../cookie.ts';
import { renderPage, type PagesEnv } from '../layout.ts';
import { loginPage } from './login-page.ts';
import { settingsView, type KeyNotice } from './view.ts';

const KEY_NAME_MAX = 100;
const keyName = z.string().trim().min(1).pipe(text(KEY_NAME_MAX));

/** GET /settings and the forms on it: a person's keys, and signing out. */
export function settingsRoutes(backend: PagesBackend): Hono<PagesEnv> {
  const apiOf = (c: Context<PagesEnv>) => apiFor(backend, c.get('viewer').session);
  const show = async (c: Context<PagesEnv>, status: 200 | 400, notice?: KeyNotice) => {
    const viewer = c.get('viewer');
    const { keys } = await apiOf(c).json(endpoints.keys.list);
    const own = keys.filter(({ kind }) => kind === 'personal');
    const body = settingsView({
      viewer,
      keys: own,
      now: new Date(),
      ...(notice ? { notice } : {}),
    });
    return c.html(renderPage(c, { title: 'Settings', section: 'settings', body }, viewer), status);
  };
  return new Hono<PagesEnv>()
    .route('/login', loginPage(backend))
    .get('/', (c) => {
      const [id, key] = takeOnce(c, backend.publicUrl)?.split(' ') ?? [];
      return show(c, 200, id && key ? { type: 'created', key, id } : undefined);
    })
    .post('/keys', async (c) => {
      const name = keyName.safeParse((await c.req.parseBody())['name']);
      if (!name.success) {
        const reason = `A key needs a name of 1 to ${KEY_NAME_MAX} characters.`;
        return show(c, 400, { type: 'refused', reason });
      }
      const { id, key } = await apiOf(c).json(endpoints.keys.create, { body: { name: name.data } });
      keepOnce(c, backend.publicUrl, `${id} ${key}`);
      return c.redirect('/settings', 303);
    })
    .post('/keys/:id/revoke', async (c) => {
      await apiOf(c).send(endpoints.keys.revoke, { params: { keyId: c.req.param('id') } });
      return c.redirect('/settings', 303);
    })
    .post('/sign-out', async (c) => {
      await backend.sessions.end(c.get('viewer').token);
      clearSessionCookie(c, backend.publicUrl);
      return c.redirect('/login', 303);
    });
}
