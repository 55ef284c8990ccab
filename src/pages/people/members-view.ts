import { html } from 'hono/html';
import type { KeyItem } from '../../contract/access.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Member, SignIn } from '../../contract/people.ts';
import type { ProblemError } from '../../contract/problem.ts';
import { ROLES, type Role } from '../../contract/role.ts';
import { card } from '../card.ts';
import { buttonForm, problemView } from '../forms.ts';
import type { Html } from '../html.ts';
import { keyRows } from '../keys/view.ts';
import { tokenField, type Viewer } from '../layout.ts';
import type { ListPart } from '../lists/part.ts';
import { rowsView } from '../lists/table.ts';
import { select, type Option } from '../select.ts';
import { settingsHead } from '../settings/tabs.ts';
import { ago } from '../time-view.ts';
import { signInsView } from './sign-ins-view.ts';

export interface MembersPage {
  viewer: Viewer;
  members: ListPart<Member>;
  /** Keys and sign-ins of everybody; only for owners. */
  everybodys?: { keys: ListPart<KeyItem>; signIns: ListPart<SignIn>; agents: Identity[] };
  now: Date;
  problem?: ProblemError;
}

const ROLE_LABELS: Record<Role, string> = { owner: 'Owner', member: 'Member', reader: 'Reader' };
const OPTIONS = ROLES.map((role): Option => [role, ROLE_LABELS[role]]);
const PATH = '/settings/members';

const pathOf = (member: Member): string => `${PATH}/${encodeURIComponent(member.uid)}`;

/** Who is in the team; for owners also everybody's keys and sign-ins. */
export function membersView({ viewer, members, everybodys, now, problem }: MembersPage): Html {
  const people = rowsView({
    title: 'Members',
    columns: ['Name', 'Role', 'Keys', 'Sign-ins', 'Last seen', ''],
    rows: members.shown.map((member) => [
      nameCell(member, member.uid === viewer.session.userUid),
      roleCell(viewer, member),
      String(member.keys),
      String(member.sign_ins),
      member.last_seen_at ? ago(member.last_seen_at, now) : html`<span class="muted">never</span>`,
      lastCell(viewer, member),
    ]),
    ways: members.ways,
  });
  const about = html`<p class="muted">
    Owners manage members, everybody’s keys and what is public. Members start and steer runs.
    Readers look. People come in by GitHub, where <code>sign_in</code> of
    <code>runlink.yaml</code> lets them, or with a key that the operator makes:
    <code>runlink keys create --team ${viewer.session.teamName} --user NAME --role member</code>.
  </p>`;
  const all = everybodys && {
    keys:
      everybodys.keys.shown.length > 0 || everybodys.keys.ways
        ? keyRows(everybodys.keys, {
            viewer,
            path: `${PATH}/keys`,
            now,
            holder: (key) => holderOf(key, everybodys.agents),
          })
        : html`<p class="empty">No keys.</p>`,
    signIns: signInsView(viewer, everybodys.signIns, {
      path: `${PATH}/sign-ins`,
      named: true,
      now,
    }),
  };
  return html`<div class="page">
    ${settingsHead(viewer, PATH)} ${problemView(problem)}
    ${card('members', 'Who is in the team', html`${about} ${people}`)}
    ${
      all
        ? html`${card('all-sign-ins', 'Where everybody is signed in', all.signIns)}
          ${card('all-keys', 'Everybody’s keys', all.keys)}`
        : ''
    }
  </div>`;
}

function roleCell(viewer: Viewer, member: Member): Html | string {
  const { role, from_github, display_name } = member;
  if (role === null) return html`<span class="muted">removed</span>`;
  if (viewer.session.role !== 'owner' || from_github)
    return html`${ROLE_LABELS[role]}
    ${from_github ? html`<span class="tag" title="Given by a team on GitHub">GitHub</span>` : ''}`;
  const action = `${pathOf(member)}/role`;
  return html`<form method="post" action="${action}" class="buttons">
    ${tokenField(viewer, action)} ${select('role', `Role of ${display_name}`, OPTIONS, role)}
    <button>Save</button>
  </form>`;
}

function lastCell(viewer: Viewer, member: Member): Html | string {
  if (viewer.session.role !== 'owner') return '';
  const { role, display_name: about } = member;
  if (role === null)
    return buttonForm(viewer, {
      action: `${pathOf(member)}/role`,
      label: 'Let back in',
      about,
      sends: ['role', 'member'],
    });
  return buttonForm(viewer, {
    action: `${pathOf(member)}/remove`,
    label: 'Remove',
    about,
    confirm: `Remove ${about} from the team? Their sign-ins and keys here end at once.`,
    tone: 'danger quiet',
  });
}

function nameCell({ display_name, github_login: login }: Member, isYou: boolean): Html {
  return html`<bdi>${display_name}</bdi>
    ${login && login !== display_name ? html` <span class="muted">@${login}</span>` : ''}
    ${isYou ? html` <span class="tag">you</span>` : ''}`;
}

/** Who a key acts for; a worker's key acts for nobody. */
function holderOf(key: KeyItem, agents: Identity[]): Html | string {
  if (key.person) return html`<bdi>${key.person.display_name}</bdi>`;
  const agent = agents.find(({ uid }) => uid === key.agent_uid);
  if (!agent) return `${key.kind} key`;
  return html`<a href="/agents/${encodeURIComponent(agent.uid)}"><bdi>${agent.name}</bdi></a>`;
}
