import { html } from 'hono/html';
import type { KeyItem } from '../../contract/access.ts';
import { buttonForm, onceField } from '../forms.ts';
import type { Html } from '../html.ts';
import { tokenField, type Viewer } from '../layout.ts';
import type { ListPart } from '../lists/part.ts';
import { rowsView } from '../lists/table.ts';
import { ago } from '../time-view.ts';

export type KeyNotice =
  | { type: 'created'; key: string; id: string }
  | { type: 'refused'; reason: string };

export interface Keys {
  viewer: Viewer;
  /** Base path for creating and revoking keys, such as `/settings/keys`. */
  path: string;
  keys: ListPart<KeyItem>;
  now: Date;
  notice?: KeyNotice;
  /** Text for an empty list. */
  empty: string;
}

/**
 * The list of keys and the form for a new one. Only the end of a key is shown, except for one that
 * was just created (threats.md S1).
 */
export function keysView(keys: Keys): Html {
  const { viewer, path, notice } = keys;
  return html`${notice ? noticeView(notice) : ''}
    ${keys.keys.shown.length > 0 || keys.keys.ways ? keyRows(keys.keys, keys) : html`<p class="empty">${keys.empty}</p>`}
    <form method="post" action="${path}" class="inline-form">
      ${tokenField(viewer, path)} ${onceField()}
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
}

function noticeView(notice: KeyNotice): Html {
  if (notice.type === 'refused') return html`<p class="alert" role="alert">${notice.reason}</p>`;
  return html`<div class="fresh-key" role="status">
    <p><strong>The new key.</strong> Copy it now: it is not shown again.</p>
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

/**
 * A table of keys with a button to revoke each, and with their holders if they belong to several
 * people.
 */
export function keyRows(
  { shown, ways }: ListPart<KeyItem>,
  {
    viewer,
    path,
    now,
    notice,
    holder,
  }: Pick<Keys, 'viewer' | 'path' | 'now' | 'notice'> & {
    holder?: (key: KeyItem) => Html | string;
  },
): Html {
  const rows = shown.map((key): (Html | string)[] => [
    html`<bdi>${key.name}</bdi>`,
    ...(holder ? [holder(key)] : []),
    html`<code>${key.prefix}…${key.suffix}</code>`,
    ago(key.created_at, now),
    key.last_used_at ? ago(key.last_used_at, now) : html`<span class="muted">never</span>`,
    buttonForm(viewer, {
      action: `${path}/${encodeURIComponent(key.id)}/revoke`,
      label: 'Revoke',
      about: key.name,
      confirm: `Revoke the key “${key.name}”? Whatever uses it stops working at once.`,
      tone: 'danger quiet',
    }),
  ]);
  const columns = ['Name', ...(holder ? ['Of'] : []), 'Key', 'Created', 'Last used', ''];
  const fresh = shown.findIndex(({ id }) => notice?.type === 'created' && notice.id === id);
  return rowsView({ title: 'Keys', columns, rows, fresh, ways });
}
