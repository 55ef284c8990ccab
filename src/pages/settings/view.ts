import { html } from 'hono/html';
import type { SignIn } from '../../contract/people.ts';
import { card, factsView } from '../card.ts';
import type { Html } from '../html.ts';
import { keysView, type Keys } from '../keys/view.ts';
import { signInsView } from '../people/sign-ins-view.ts';
import { settingsHead } from './tabs.ts';

/** The settings page: the account, and its API keys. */
export function settingsView(keys: Keys, signIns: readonly SignIn[]): Html {
  const { displayName, email, teamName, role } = keys.viewer.session;
  const account = factsView([
    ['Name', html`<bdi>${displayName}</bdi>`],
    ['E-mail', email && html`<bdi>${email}</bdi>`],
    ['Team', html`<bdi>${teamName}</bdi>`],
    ['Role', role],
  ]);
  const own = html`<p class="muted">
      A key acts in your name: send it as <code>Authorization: Bearer …</code>. Keep it out of
      repositories, and revoke what you no longer use.
    </p>
    ${keysView(keys)}`;
  const { viewer, now } = keys;
  const where = signInsView(viewer, signIns, { path: '/settings/sign-ins', named: false, now });
  return html`<div class="page medium">
    ${settingsHead(keys.viewer, '/settings')} ${card('account', 'Account', account)}
    ${card('sign-ins', 'Where you are signed in', where)} ${card('keys', 'API keys', own)}
  </div>`;
}
