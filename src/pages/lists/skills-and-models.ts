import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import type { Model } from '../../contract/model.ts';
import type { SkillItem } from '../../contract/skill.ts';
import type { Api } from '../api.ts';
import type { Html } from '../html.ts';
import { ago } from '../time-view.ts';
import { byName } from './in-order.ts';
import { partOf, type ListPlace } from './part.ts';
import { listingView } from './table.ts';

/** The skills found in a team's repositories, and the models. */
export async function skillsAndModels(api: Api, place: ListPlace, now: Date): Promise<Html> {
  const [{ agents: skills }, { models, default_model_id }] = await Promise.all([
    api.json(endpoints.skills.list, { query: { include_malformed_skills: true } }),
    api.json(endpoints.models.list),
  ]);
  const { shown, ways } = partOf(place, 'skills', byName(skills));
  const some = partOf(place, 'models', models);
  return html`${listingView({
    title: 'Skills',
    columns: ['Name', 'Description', 'Defined in', 'Last run'],
    rows: shown.flatMap((skill) => skillRows(skill, now)),
    ways,
    empty: html`No skills found. They are the <code>SKILL.md</code> files of your environments’
      repositories.`,
  })}
  ${listingView({
    title: 'Models',
    columns: ['Model', 'Provider', 'State', 'Id'],
    rows: some.shown.map((model) => modelRow(model, model.id === default_model_id)),
    ways: some.ways,
    empty: html`No models are listed: the agent’s own default is used.`,
  })}`;
}

function skillRows(skill: SkillItem, now: Date): (Html | string)[][] {
  return skill.variants.map((variant) => [
    html`<bdi>${skill.name}</bdi>`,
    variant.error === undefined
      ? html`<bdi>${variant.description}</bdi>`
      : html`<span class="badge failed">Malformed</span> <bdi>${variant.error}</bdi>`,
    html`<code>${variant.id}</code>`,
    variant.last_run_timestamp === null ? 'never' : ago(variant.last_run_timestamp, now),
  ]);
}

function modelRow(model: Model, isDefault: boolean): (Html | string)[] {
  const reason = model.disable_reason?.replaceAll('_', ' ').toLowerCase() ?? '';
  const state = model.disabled
    ? html`<span class="badge cancelled">Disabled</span> ${reason}`
    : html`<span class="badge succeeded">${isDefault ? 'Default' : 'Available'}</span>`;
  const provider = model.provider === 'UNKNOWN' ? '' : model.provider.toLowerCase();
  return [html`<bdi>${model.display_name}</bdi>`, provider, state, html`<code>${model.id}</code>`];
}
