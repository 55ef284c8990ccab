import { html } from 'hono/html';
import { card, factsView } from '../card.ts';
import type { Html } from '../html.ts';
import { keysView, type Keys } from '../keys/view.ts';

/** The settings page: the account, and its API keys. */
export function settingsView(keys: Keys): Html {
  const { displayName, email, teamName } = keys.viewer.session;
  const account = factsView([
    ['Name', html`<bdi>${displayName}</bdi>`],
    ['E-mail', email && html`<bdi>${email}</bdi>`],
    ['Team', html`<bdi>${teamName}</bdi>`],
  ]);
  const own = html`<p class="muted">
      A key acts in your name: send it as <code>Authorization: Bearer …</code>. Keep it out of
      repositories, and revoke what you no longer use.
    </p>
    ${keysView(keys)}`;
  return html`<div class="page medium">
    <h1>Settings</h1>
    ${card('account', 'Account', account)} ${card('keys', 'API keys', own)}
  </div>`;
}
