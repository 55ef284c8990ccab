import { html } from 'hono/html';
import type { SignIn } from '../../contract/people.ts';
import type { OwnTeam } from '../backend.ts';
import { card, factsView } from '../card.ts';
import { buttonForm } from '../forms.ts';
import type { Html } from '../html.ts';
import { keysView, type Keys } from '../keys/view.ts';
import type { Viewer } from '../layout.ts';
import type { ListPart } from '../lists/part.ts';
import { rowsView } from '../lists/table.ts';
import { signInsView } from '../people/sign-ins-view.ts';
import { settingsHead } from './tabs.ts';

/** The settings page: the account, and its API keys. */
export function settingsView(
  keys: Keys,
  signIns: ListPart<SignIn>,
  teams: readonly OwnTeam[],
): Html {
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
    ${teamsView(viewer, teams)} ${card('sign-ins', 'Where you are signed in', where)}
    ${card('keys', 'API keys', own)}
  </div>`;
}

/** The teams of somebody who is in several, with a button to switch to each. */
function teamsView(viewer: Viewer, teams: readonly OwnTeam[]): Html | '' {
  if (teams.length < 2) return '';
  const rows = teams.map(({ id, name, role }): (Html | string)[] => [
    html`<bdi>${name}</bdi>`,
    role,
    id === viewer.session.teamUid
      ? html`<span class="tag">here</span>`
      : buttonForm(viewer, {
          action: '/settings/team',
          label: 'Go there',
          about: name,
          sends: ['team', id],
        }),
  ]);
  return card(
    'teams',
    'Your teams',
    rowsView({ title: 'Teams', columns: ['Team', 'Role', ''], rows }),
  );
}
