import { createHash, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { StandInContext } from './context.ts';
import { DEMO_APP, DEMO_PEOPLE } from './seed.ts';

interface Granted {
  login: string;
  challenge: string;
  redirectUri: string;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The OAuth client secret of the App, the same at each start of a stand-in. */
export function clientSecretOf(webhookSecret: string): string {
  return createHash('sha256').update(`client ${webhookSecret}`).digest('hex');
}

/**
 * GitHub's pages for signing in to an App. The person at the keyboard chooses one of the stand-in's
 * people. A code works once, and only with its verifier and redirect URL.
 */
export function oauthRoutes(
  context: StandInContext,
  clientSecret: string,
  layout: (title: string, body: ReturnType<typeof html>) => ReturnType<typeof html>,
): Hono {
  const codes = new Map<string, Granted>();
  return new Hono()
    .get('/authorize', (c) => {
      const url = new URL(c.req.url);
      const asked = url.searchParams;
      const redirectUri = asked.get('redirect_uri') ?? '';
      if (asked.get('client_id') !== DEMO_APP.clientId || !URL.canParse(redirectUri))
        return c.notFound();
      const login = asked.get('login');
      const people = Object.values(DEMO_PEOPLE);
      if (people.some((person) => person.login === login)) {
        const code = randomBytes(10).toString('hex');
        const challenge = asked.get('code_challenge') ?? '';
        codes.set(code, { login: login ?? '', challenge, redirectUri });
        const back = new URL(redirectUri);
        back.searchParams.set('code', code);
        back.searchParams.set('state', asked.get('state') ?? '');
        return c.redirect(back.href, 302);
      }
      const links = people.map((person) => {
        asked.set('login', person.login);
        return html`<li>
          <a href="/login/oauth/authorize?${asked.toString()}">${person.login}</a>
        </li>`;
      });
      const list = html`<h1>Sign in to ${DEMO_APP.name}</h1>
        <p>Who are you?</p>
        <ul>
          ${links}
        </ul>`;
      return c.html(layout('Sign in', list));
    })
    .post('/access_token', async (c) => {
      const { client_id, client_secret, code, redirect_uri, code_verifier } = Object.fromEntries(
        new URLSearchParams(await c.req.text()),
      );
      if (client_id !== DEMO_APP.clientId || client_secret !== clientSecret)
        return c.json({ error: 'incorrect_client_credentials' });
      const granted = codes.get(code ?? '');
      codes.delete(code ?? '');
      const isRight =
        granted?.challenge === digest(code_verifier ?? '') && granted.redirectUri === redirect_uri;
      if (!granted || !isRight)
        return c.json({
          error: 'bad_verification_code',
          error_description: 'The code passed is incorrect or expired.',
        });
      const access_token = `ghu_${randomBytes(18).toString('hex')}`;
      context.state.tokens.set(access_token, { kind: 'user', login: granted.login });
      return c.json({ access_token, token_type: 'bearer', scope: '' });
    });
}
