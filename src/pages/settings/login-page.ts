import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { LoginItem, PagesBackend } from '../backend.ts';
import { factsView } from '../card.ts';
import type { Html } from '../html.ts';
import { showPage, tokenField, type PagesEnv, type Viewer } from '../layout.ts';
import { ago } from '../time-view.ts';

const PATH = '/settings/login';

const ANSWERS = {
  approve: 'Approved. Go back to your terminal: it is signed in within two seconds.',
  deny: 'Denied. The terminal gets no key.',
} as const;

/**
 * GET and POST /settings/login, where a person approves `runlink login` (interface.md 4.9;
 * threats.md S11).
 */
export function loginPage(backend: PagesBackend): Hono<PagesEnv> {
  const show = (c: Context<PagesEnv>, content: Html, status: 200 | 404 = 200) => {
    const body = html`<div class="narrow card">
      <h1>Sign in a terminal</h1>
      ${content}
    </div>`;
    return showPage(c, { title: 'Sign in a terminal', section: 'settings', body }, status);
  };
  return new Hono<PagesEnv>()
    .get('/', async (c) => {
      const code = c.req.query('code')?.slice(0, 20);
      if (!code) return show(c, askForCode(false));
      const login = await backend.logins.find(code);
      return login
        ? show(c, askToApprove(login, code.toUpperCase(), c.get('viewer')))
        : show(c, askForCode(true), 404);
    })
    .post('/', async (c) => {
      const { code, decision } = await c.req.parseBody();
      const answer = decision === 'approve' ? 'approve' : 'deny';
      const { session } = c.get('viewer');
      const decided =
        typeof code === 'string' &&
        (await backend.logins.decide(session, code, answer === 'approve'));
      if (!decided) return show(c, askForCode(true), 404);
      return show(c, html`<p class="notice" role="status">${ANSWERS[answer]}</p>`);
    });
}

function askForCode(refused: boolean): Html {
  const alert = html`<p class="alert" role="alert">
    No terminal waits with this code. It may be older than ten minutes, or decided already.
  </p>`;
  return html`${refused ? alert : ''}
    <form method="get" action="${PATH}" class="stack">
      <label for="code">The code that your terminal shows</label>
      <input
        id="code"
        name="code"
        class="mono"
        required
        maxlength="20"
        placeholder="BCDF-GHJK"
        autocomplete="off"
        spellcheck="false"
      />
      <button class="primary">Continue</button>
    </form>`;
}

function askToApprove(login: LoginItem, code: string, viewer: Viewer): Html {
  const { displayName, teamName } = viewer.session;
  return html`<p>
      A terminal asks for a key that acts in your name,
      <strong><bdi>${displayName}</bdi></strong> of team <bdi>${teamName}</bdi>, until you revoke it
      in the settings.
    </p>
    ${factsView([
      ['It calls itself', html`<bdi>${login.client}</bdi>`],
      ['It asked', ago(login.createdAt, new Date())],
      ['Its code', html`<strong class="mono">${code}</strong>`],
    ])}
    <p>Approve only if you started this yourself and your terminal shows the same code.</p>
    <form method="post" action="${PATH}" class="inline-form">
      ${tokenField(viewer, PATH)}
      <input type="hidden" name="code" value="${code}" />
      <button class="primary" name="decision" value="approve">Approve</button>
      <button class="danger quiet" name="decision" value="deny">Deny</button>
    </form>`;
}
