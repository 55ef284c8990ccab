import { html } from 'hono/html';
import type { Identity } from '../../contract/identity.ts';
import { card, factsView } from '../card.ts';
import { buttonForm } from '../forms.ts';
import type { Html } from '../html.ts';
import { keysView, type Keys } from '../keys/view.ts';
import type { Viewer } from '../layout.ts';
import type { ListPart } from '../lists/part.ts';
import { listingView } from '../lists/table.ts';
import { longText } from '../long-text.ts';
import { ago } from '../time-view.ts';

const pathOf = ({ uid }: Identity): string => `/agents/${encodeURIComponent(uid)}`;

/** The agents of a team. */
export function agentsList({ shown, ways }: ListPart<Identity>): Html {
  return html`<p class="buttons"><a class="button" href="/agents/new">New agent</a></p>
    ${listingView({
      title: 'Agent identities',
      columns: ['Name', 'State', 'Description', 'Harness'],
      rows: shown.map((agent) => [
        html`<a href="${pathOf(agent)}"><bdi>${agent.name}</bdi></a>`,
        availability(agent),
        html`<span class="words">${agent.description ?? ''}</span>`,
        agent.harness?.type ?? '',
      ]),
      ways,
      empty: html`No agents yet. An agent has keys of its own and runs in its own name.`,
    })}`;
}

const OVER_LIMIT = html`<p class="alert">
  The team has more agents than its plan allows, and the oldest count first: no run may use this
  one. Delete an agent that is not needed, or ask whoever runs this service for a higher
  <code>agents_per_team</code>.
</p>`;

/** One agent: its instructions, where it works, and its keys. */
export function agentView(
  agent: Identity,
  keys: Keys,
  environmentName: string | undefined,
  isWhole: boolean,
): Html {
  const { viewer, now } = keys;
  const { name, uid, description, prompt, skills, base_model: model, harness } = agent;
  const tools = Object.keys(agent.mcp_servers ?? {});
  return html`<div class="page medium">
    <nav class="crumbs" aria-label="Breadcrumb"><a href="/agents">Agents</a></nav>
    <div class="row">
      <h1><bdi>${name}</bdi></h1>
      ${actions(agent, viewer)}
    </div>
    ${agent.available ? '' : OVER_LIMIT}
    ${card(
      'what',
      'What it is',
      factsView([
        ['State', availability(agent)],
        ['Description', description ? html`<bdi>${description}</bdi>` : ''],
        ['Prompt', prompt ? longText(prompt, isWhole) : ''],
        ['Skills', skills.length > 0 ? html`<span class="wrap">${skills.join('\n')}</span>` : ''],
        ['Environment', environmentName && html`<bdi>${environmentName}</bdi>`],
        ['Model', model],
        ['Harness', harness?.type],
        ['Worker host', agent.worker_host && html`<bdi>${agent.worker_host}</bdi>`],
        ['Tools', tools.length > 0 ? html`<bdi>${tools.join(', ')}</bdi>` : ''],
        ['On behalf of people', agent.on_behalf_of_enabled ? 'It may start runs for others' : ''],
        ['Created', ago(agent.created_at, now)],
        ['Changed', ago(agent.updated_at, now)],
        ['Runs', html`<a href="/runs?agent=${encodeURIComponent(uid)}">What it did</a>`],
        ['Id', html`<code class="id">${uid}</code>`],
      ]),
    )}
    ${card('keys', 'Its keys', keysView(keys))}
  </div>`;
}

function actions(agent: Identity, viewer: Viewer): Html {
  const confirm = `Delete “${agent.name}”? Its keys stop working at once.`;
  const path = pathOf(agent);
  return html`<div class="buttons">
    <a class="button" href="/new?agent=${encodeURIComponent(agent.uid)}">Start a run</a>
    <a class="button" href="${path}/edit">Edit</a>
    ${buttonForm(viewer, { action: `${path}/delete`, label: 'Delete', confirm, tone: 'danger' })}
  </div>`;
}

function availability({ available }: Identity): Html {
  return available
    ? html`<span class="badge succeeded">Available</span>`
    : html`<span class="badge cancelled">Over limit</span>`;
}
