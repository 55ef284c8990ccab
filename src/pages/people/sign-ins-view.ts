import { html } from 'hono/html';
import type { SignIn } from '../../contract/people.ts';
import { buttonForm } from '../forms.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import type { ListPart } from '../lists/part.ts';
import { rowsView } from '../lists/table.ts';
import { ago } from '../time-view.ts';

const VIA: Record<SignIn['via'], string> = {
  github: 'GitHub',
  key: 'an API key',
  link: 'a one-time link',
};

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\/|HeadlessChrome/, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

const nameIn = (names: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** Such as `Firefox on Linux`, if the browser says so. */
export function browserName(agent: string | null): string {
  const [browser, system] = [nameIn(BROWSERS, agent ?? ''), nameIn(SYSTEMS, agent ?? '')];
  return [browser ?? 'A browser', system].filter((it) => it !== undefined).join(' on ');
}

/** Where somebody is signed in, with a button to sign out each. */
export function signInsView(
  viewer: Viewer,
  { shown, ways }: ListPart<SignIn>,
  { path, named, now }: { path: string; named: boolean; now: Date },
): Html {
  const rows = shown.map((it): (Html | string)[] => {
    const what = browserName(it.browser);
    return [
      html`${named ? html`<bdi>${it.person.display_name}</bdi> · ` : ''}${what}
      ${it.is_current ? html` <span class="tag">this one</span>` : ''}`,
      html`by ${VIA[it.via]}`,
      it.address ? html`<bdi>${it.address}</bdi>` : html`<span class="muted">unknown</span>`,
      ago(it.created_at, now),
      ago(it.last_seen_at, now),
      buttonForm(viewer, {
        action: `${path}/${encodeURIComponent(it.id)}/end`,
        label: 'Sign out',
        about: `${what}, seen ${it.last_seen_at}`,
        tone: 'danger quiet',
      }),
    ];
  });
  const columns = ['Browser', 'Signed in', 'From', 'Since', 'Last seen', ''];
  return rowsView({ title: 'Sign-ins', columns, rows, ways });
}
