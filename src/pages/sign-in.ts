import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { NewSession, PagesBackend } from './backend.ts';
import { writeSessionCookie } from './cookie.ts';
import type { Html } from './html.ts';
import { keptWords } from './kept-words.ts';
import { showPage, type PagesEnv } from './layout.ts';

const WRONG_KEY = 'This key does not work, or is not a personal key. Check for missing characters.';
const WRONG_LINK =
  'This link was already used, or is older than 15 minutes. Sign in with a key instead.';

/** Where to go after signing in: one of our own paths, never another site or the sign-in page. */
export function localPath(next: string | undefined): string {
  const local =
    next !== undefined &&
    /^\/(?:runs|new|overview|schedules|agents|environments|settings)(?:[/?#]|$)/.test(next);
  return local ? next : '/runs';
}

function githubLink(next: string): Html {
  const query = new URLSearchParams({ next }).toString();
  return html`<p>
    <a class="button primary" href="/login/github?${query}">Sign in with GitHub</a>
  </p>`;
}

function signInForm(
  next: string,
  { problem, kept, hasGithub = false }: { problem?: string; kept: Html | ''; hasGithub?: boolean },
): Html {
  const alert = problem === undefined ? '' : html`<p class="alert" role="alert">${problem}</p>`;
  return html`<div class="narrow card">
    <h1>Sign in</h1>
    ${alert} ${kept} ${hasGithub ? githubLink(next) : ''}
    <p class="muted">
      ${hasGithub ? 'Or use' : 'Use'} your personal API key. It starts with <code>rl_</code>.
    </p>
    <form method="post" action="/login" class="stack">
      <input type="hidden" name="next" value="${next}" />
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        ${hasGithub ? '' : html`autofocus`}
        autocomplete="current-password"
        spellcheck="false"
      />
      <button class="${hasGithub ? '' : 'primary'}">Sign in</button>
    </form>
    <details class="help">
      <summary>Where do I get a key?</summary>
      <p>
        Whoever runs this service makes one with
        <code>runlink keys create --team NAME --user NAME</code>. The key of the first owner is in
        the file <code>owner.key</code> of the data directory.
      </p>
    </details>
  </div>`;
}

/** Shows the sign-in page under the URL that was asked for, with the given status. */
export async function askToSignIn(
  c: Context<PagesEnv>,
  next: string,
  status: 200 | 401 | 403 | 404,
  problem?: string,
): Promise<Response> {
  c.header('Cache-Control', 'no-store');
  const body = signInForm(next, {
    kept: await keptWords(c),
    ...(problem === undefined ? {} : { problem }),
    hasGithub: c.get('hasGithub') ?? false,
  });
  return showPage(c, { title: 'Sign in', body }, status);
}

/** Sends a signed-in person to the page that they wanted. */
export function welcome(
  c: Context<PagesEnv>,
  publicUrl: string,
  session: NewSession,
  next: string,
): Response {
  writeSessionCookie(c, publicUrl, session);
  c.header('Cache-Control', 'no-store');
  return c.redirect(next, 303);
}

/**
 * GET and POST /login: with a pasted key, or with the one-time link that `npm start` prints
 * (interface.md 5.3).
 */
export function signInRoutes(backend: PagesBackend): Hono<PagesEnv> {
  return new Hono<PagesEnv>()
    .get('/', async (c) => {
      const next = localPath(c.req.query('next'));
      const token = c.req.query('token');
      if (token === undefined) return askToSignIn(c, next, 200);
      const session = await backend.sessions.createFromLink(token, c.req.header('user-agent'));
      return session
        ? welcome(c, backend.publicUrl, session, next)
        : askToSignIn(c, next, 401, WRONG_LINK);
    })
    .post('/', async (c) => {
      const { key, next } = await c.req.parseBody();
      const target = localPath(typeof next === 'string' ? next : undefined);
      const session =
        typeof key === 'string'
          ? await backend.sessions.createFromKey(key.trim(), c.req.header('user-agent'))
          : null;
      return session
        ? welcome(c, backend.publicUrl, session, target)
        : askToSignIn(c, target, 401, WRONG_KEY);
    });
}
