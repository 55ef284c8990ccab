import { Hono, type Context } from 'hono';
import { endpoints } from '../../contract/endpoints.ts';
import type { PagesBackend } from '../backend.ts';
import { clearSessionCookie } from '../cookie.ts';
import { keyRoutes, newKey } from '../keys/routes.ts';
import type { KeyNotice } from '../keys/view.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { partOf, placeOf } from '../lists/part.ts';
import { peopleRoutes } from '../people/routes.ts';
import { welcome } from '../sign-in.ts';
import { loginPage } from './login-page.ts';
import { settingsView } from './view.ts';

/** GET /settings and its forms: a person's keys, and signing out. */
export function settingsRoutes(backend: PagesBackend): Hono<PagesEnv> {
  const show = async (c: Context<PagesEnv>, status: 200 | 400, notice?: KeyNotice) => {
    const viewer = c.get('viewer');
    const api = c.get('api');
    const { keys } = await api.json(endpoints.keys.list);
    const { sign_ins: signIns } = await api.json(endpoints.signIns.list);
    const place = placeOf(c, '/settings');
    const own = keys.filter(({ kind }) => kind === 'personal');
    const shown = {
      viewer,
      path: '/settings/keys',
      keys: partOf(place, 'keys', own),
      now: new Date(),
      empty: 'You have no keys yet. Create one to use the API, the Action or the command line.',
      ...(notice ? { notice } : {}),
    };
    const where = partOf(place, 'sign-ins', signIns);
    const body = settingsView(shown, where, await backend.sessions.teams(viewer.session));
    return showPage(c, { title: 'Settings', section: 'settings', body }, status);
  };
  return new Hono<PagesEnv>()
    .route('/login', loginPage(backend))
    .route('/keys', keyRoutes(backend, show))
    .route('/', peopleRoutes())
    .post('/sign-ins/:id/end', async (c) => {
      await c.get('api').send(endpoints.signIns.end, { params: { signInId: c.req.param('id') } });
      return c.redirect('/settings', 303);
    })
    .post('/team', async (c) => {
      const { team } = await c.req.parseBody();
      if (typeof team !== 'string') return c.notFound();
      const session = await backend.sessions.switchTeam(c.get('viewer').token, team);
      return session ? welcome(c, backend.publicUrl, session, '/runs') : c.notFound();
    })
    .get('/', (c) => show(c, 200, newKey(c, backend)))
    .post('/sign-out', async (c) => {
      await backend.sessions.end(c.get('viewer').token);
      clearSessionCookie(c, backend.publicUrl);
      return c.redirect('/login', 303);
    });
}
