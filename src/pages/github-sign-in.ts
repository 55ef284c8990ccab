import { timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { PagesBackend } from './backend.ts';
import { keepWay, takeWay } from './cookie.ts';
import { notFound, errorPage } from './error-page.ts';
import type { PagesEnv } from './layout.ts';
import { askToSignIn, localPath, welcome } from './sign-in.ts';

const STRANGE =
  'This sign-in was not started in this browser, is older than ten minutes, or was used already. Start again.';
const DENIED =
  'GitHub did not sign you in; it says so too if you cancelled there. Try again, or sign in with a key.';
const CODE_MAX = 512;

/**
 * GET /login/github and its callback. Only the browser that began a sign-in can finish it, and only
 * once (threats.md S26).
 */
export function githubRoutes({ github, publicUrl }: PagesBackend): Hono<PagesEnv> {
  const app = new Hono<PagesEnv>();
  if (!github) return app.get('/*', (c) => errorPage(c, notFound()));
  return app
    .get('/', (c) => {
      const { state, verifier, url } = github.begin();
      keepWay(c, publicUrl, [state, verifier, localPath(c.req.query('next'))]);
      c.header('Cache-Control', 'no-store');
      return c.redirect(url, 302);
    })
    .get('/callback', async (c) => {
      const [state, verifier = '', kept] = takeWay(c, publicUrl);
      const next = localPath(kept);
      const code = c.req.query('code') ?? '';
      if (!isSame(c.req.query('state') ?? '', state)) return askToSignIn(c, next, 401, STRANGE);
      if (code === '' || code.length > CODE_MAX) return askToSignIn(c, next, 401, DENIED);
      const done = await github.finish(code, verifier, c.req.header('user-agent'));
      return 'refusal' in done
        ? askToSignIn(c, next, 403, done.refusal)
        : welcome(c, publicUrl, done, next);
    });
}

function isSame(given: string, kept: string | undefined): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(kept ?? '')];
  return one.length > 0 && one.length === other.length && timingSafeEqual(one, other);
}
