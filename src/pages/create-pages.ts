import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { errorMessage } from '../base/error.ts';
import { ProblemError } from '../contract/problem.ts';
import { apiFor } from './api.ts';
import { agentRoutes } from './agents/routes.ts';
import { assetRoutes } from './assets.ts';
import type { PagesBackend } from './backend.ts';
import { composeRoutes } from './compose/routes.ts';
import { SESSION_PATHS, readSessionCookie } from './cookie.ts';
import { errorPage, notFound, troubleOf } from './error-page.ts';
import { githubRoutes } from './github-sign-in.ts';
import { pageOfForm } from './kept-words.ts';
import type { PagesEnv } from './layout.ts';
import { environmentRoutes } from './lists/routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import { runRoutes } from './run/routes.ts';
import { runListRoutes } from './runs/routes.ts';
import { scheduleRoutes } from './schedules/routes.ts';
import {
  FORM_MAX_BYTES,
  IMAGES_MAX_BYTES,
  isFormToken,
  pageHeaders,
  plainly,
  sameOriginOnly,
} from './security.ts';
import { settingsRoutes } from './settings/routes.ts';
import { askToSignIn, signInRoutes } from './sign-in.ts';

/** Pages of a shared run that guests may see. */
const SHARED = /^\/runs\/([^/]+)(?:\/(?:changes|updates))?$/;

/** Accepts a form only with the token made for it (threats.md S11). */
const formsOnly: MiddlewareHandler<PagesEnv> = async (c, next) => {
  if (c.req.method === 'POST') {
    const { form_token } = await c.req.parseBody();
    if (!isFormToken(form_token, c.get('viewer').token, c.req.path)) throw new HTTPException(403);
  }
  await next();
};

/** The pages for people, to be mounted at `/` behind the API (house.md, "The rooms"). */
export function createPages(backend: PagesBackend): Hono<PagesEnv> {
  const app = new Hono<PagesEnv>();
  const { publicUrl } = backend;
  app.use(compress(), pageHeaders(publicUrl), plainly, sameOriginOnly(publicUrl));
  const [formLimit, imagesLimit] = [FORM_MAX_BYTES, IMAGES_MAX_BYTES].map(limitedTo);
  app.use(async (c, next) => (c.req.path === '/new' ? imagesLimit : formLimit)?.(c, next));
  app.use(async (c, next) => {
    c.set('hasGithub', backend.github !== undefined);
    await next();
  });
  app.get('/', (c) => c.redirect('/runs', 302));
  app.route('/assets', assetRoutes);
  app.route('/login/github', githubRoutes(backend));
  app.route('/login', signInRoutes(backend));
  for (const path of SESSION_PATHS) app.use(`${path}/*`, signedIn(backend), formsOnly);
  app.use('/runs/*', async (c, next) => {
    // The tab tries again a little later, and reaches the restarted service.
    if (backend.closing.aborted && c.req.path.endsWith('/updates'))
      throw new ProblemError('service_unavailable');
    return next();
  });
  app.route('/runs', runListRoutes(backend));
  app.route('/runs', runRoutes(backend));
  app.route('/environments', environmentRoutes);
  app.route('/agents', agentRoutes(backend));
  app.route('/schedules', scheduleRoutes());
  app.route('/new', composeRoutes);
  app.route('/overview', overviewRoutes);
  app.route('/settings', settingsRoutes(backend));
  app.notFound((c) => errorPage(c, notFound()));
  app.onError((error, c) => {
    const trouble = troubleOf(error);
    if (trouble.status >= 500) {
      backend.log.error({ path: c.req.path, error: errorMessage(error) }, 'page failed');
    }
    return errorPage(c, trouble);
  });
  return app;
}

/**
 * Lets signed-in people through, and guests to a shared run. Everybody else sees the sign-in form.
 * On a run's pages its status is 404, because to them the run does not exist (interface.md 5.3).
 */
function signedIn(backend: PagesBackend): MiddlewareHandler<PagesEnv> {
  return async (c, next) => {
    const token = readSessionCookie(c, backend.publicUrl);
    const session = token === undefined ? null : await backend.sessions.find(token);
    if (token !== undefined && session) {
      c.set('viewer', { session, token });
      c.set('api', apiFor(backend, session));
      c.header('Cache-Control', 'private, no-store');
      return next();
    }
    const shared = SHARED.exec(c.req.path)?.[1];
    const guest = shared && c.req.method === 'GET' ? await backend.guest(shared) : null;
    if (guest) {
      c.set('guest', guest);
      c.header('Cache-Control', 'private, no-store');
      return next();
    }
    const url = new URL(c.req.url);
    const target = c.req.method === 'GET' ? url.pathname + url.search : pageOfForm(c);
    const status = /^\/runs\/./.test(url.pathname) ? 404 : 401;
    return askToSignIn(c, target, status);
  };
}

function limitedTo(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new HTTPException(413);
    },
  });
}
