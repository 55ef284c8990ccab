import { html } from 'hono/html';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';

const TABS = [
  ['/settings', 'You'],
  ['/settings/members', 'Members'],
  ['/settings/audit', 'Audit log'],
] as const;
export type SettingsPath = (typeof TABS)[number][0];

/** The heading and tabs of the settings pages. Only owners see the audit log. */
export function settingsHead({ session }: Viewer, current: SettingsPath): Html {
  const shown = TABS.filter(([path]) => path !== '/settings/audit' || session.role === 'owner');
  const links = shown.map(
    ([path, label]) =>
      html`<li>
        <a href="${path}" ${path === current ? html`aria-current="page"` : ''}>${label}</a>
      </li>`,
  );
  return html`<h1>Settings</h1>
    <nav class="tabs" aria-label="Settings">
      <ul>
        ${links}
      </ul>
    </nav>`;
}
