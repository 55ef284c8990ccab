import { html } from 'hono/html';
import type { KeyItem } from '../../contract/access.ts';
import { card, factsView } from '../card.ts';
import type { Html } from '../html.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { ago } from '../time-view.ts';

export type KeyNotice =
  { type: 'created'; key: string; id: string } | { type: 'refused'; reason: string };

interface Settings {
  viewer: Viewer;
  keys: KeyItem[];
  now: Date;
  notice?: KeyNotice;
}

function noticeView(notice: KeyNotice): Html {
  if (notice.type === 'refused') return html`<p class="alert" role="alert">${notice.reason}</p>`;
  return html`<div class="fresh-key" role="status">
    <p><strong>Your new key.</strong> Copy it now: it is not shown again.</p>
    <div class="copy-row">
      <input
        class="mono"
        id="new-key"
        aria-label="New API key"
        readonly
        value="${notice.key}"
        autocomplete="off"
      />
      <button type="button" class="needs-script" data-copy="new-key">Copy</button>
    </div>
  </div>`;
}

function keyRow(key: KeyItem, { viewer, now, notice }: Settings): Html {
  const action = `/settings/keys/${encodeURIComponent(key.id)}/revoke`;
  const isNew = notice?.type === 'created' && notice.id === key.id;
  return html`<tr class="${isNew ? 'fresh' : ''}">
    <th scope="row"><bdi>${key.name}</bdi></th>
    <td><code>${key.prefix}…${key.suffix}</code></td>
    <td data-label="Created">${ago(key.created_at, now)}</td>
    <td data-label="Last used">
      ${key.last_used_at ? ago(key.last_used_at, now) : html`<span class="muted">never</span>`}
    </td>
    <td class="end">
      <form
        method="post"
        action="${action}"
        data-confirm="Revoke the key “${key.name}”? Whatever uses it stops working at once."
      >
        ${tokenField(viewer, action)}
        <button class="danger quiet" aria-label="Revoke ${key.name}">Revoke</button>
      </form>
    </td>
  </tr>`;
}

function keyTable(settings: Settings): Html {
  if (settings.keys.length === 0) {
    return html`<p class="empty">
      You have no keys yet. Create one to use the API, the Action or the command line.
    </p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Your API keys">
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          <th scope="col"><span class="visually-hidden">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${settings.keys.map((key) => keyRow(key, settings))}
      </tbody>
    </table>
  </div>`;
}

/** The settings page: the account, and its API keys. */
export function settingsView(settings: Settings): Html {
  const { viewer, notice } = settings;
  const { displayName, email, teamName } = viewer.session;
  const account = factsView([
    ['Name', html`<bdi>${displayName}</bdi>`],
    ['E-mail', email && html`<bdi>${email}</bdi>`],
    ['Team', html`<bdi>${teamName}</bdi>`],
  ]);
  const keys = html`<p class="muted">
      A key acts in your name: send it as <code>Authorization: Bearer …</code>. Keep it out of
      repositories, and revoke what you no longer use.
    </p>
    ${notice ? noticeView(notice) : ''} ${keyTable(settings)}
    <form method="post" action="/settings/keys" class="inline-form">
      ${tokenField(viewer, '/settings/keys')}
      <label for="key-name">New key</label>
      <input
        id="key-name"
        name="name"
        required
        maxlength="100"
        placeholder="What it is for, such as “laptop”"
        autocomplete="off"
      />
      <button class="primary">Create key</button>
    </form>`;
  return html`<div class="page medium">
    <h1>Settings</h1>
    ${card('account', 'Account', account)} ${card('keys', 'API keys', keys)}
  </div>`;
}
