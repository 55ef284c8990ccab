import { html } from 'hono/html';
import type { Identity } from '../../contract/identity.ts';
import type { RunItem } from '../../contract/run.ts';
import type { Schedule } from '../../contract/schedule.ts';
import { badge } from '../badge.ts';
import { card, factsView, type Fact } from '../card.ts';
import { plural } from '../format.ts';
import { buttonForm } from '../forms.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import type { ListPart } from '../lists/part.ts';
import { listingView } from '../lists/table.ts';
import { longText } from '../long-text.ts';
import { STATES } from '../run/state.ts';
import { ago, localTime, workedView } from '../time-view.ts';
import { inWords, nextFirings } from './when.ts';

/** A schedule with its latest runs, newest first. */
export interface ScheduleWithRuns {
  schedule: Schedule;
  runs: RunItem[];
  /** The agent that its runs belong to, if that still exists. */
  agent?: Identity;
}

const pathOf = ({ id }: Schedule): string => `/schedules/${encodeURIComponent(id)}`;

/** The schedules of a team: when they run, how they went, when they run next. */
export function schedulesView({ shown, ways }: ListPart<ScheduleWithRuns>, now: Date): Html {
  return html`<p class="buttons"><a class="button" href="/schedules/new">New schedule</a></p>
    ${listingView({
      title: 'Scheduled agents',
      columns: ['Name', 'When', 'State', 'Last ten', 'Last run', 'Next run'],
      rows: shown.map(({ schedule, runs }) => {
        const { last_ran, next_run: next } = schedule.history;
        const last = runs[0]?.created_at ?? last_ran;
        return [
          html`<a href="${pathOf(schedule)}"><bdi>${schedule.name}</bdi></a>`,
          html`<span class="words">${inWords(schedule.cron_schedule)}</span>`,
          stateOf(schedule),
          dots(runs),
          last === null ? 'never' : ago(last, now),
          next === null ? '–' : localTime(next),
        ];
      }),
      ways,
      empty: html`No schedules yet. One starts runs by itself: each night, each Monday, each quarter
      of an hour.`,
    })}`;
}

function actions(schedule: Schedule, viewer: Viewer): Html {
  const path = pathOf(schedule);
  const turn = schedule.enabled
    ? { action: `${path}/pause`, label: 'Pause' }
    : { action: `${path}/resume`, label: 'Resume' };
  const confirm = `Delete “${schedule.name}”? It starts no more runs; its past runs stay.`;
  return html`<div class="buttons">
    ${buttonForm(viewer, { action: `${path}/run`, label: 'Run now', once: true })}
    ${buttonForm(viewer, turn)}
    <a class="button" href="${path}/edit">Edit</a>
    ${buttonForm(viewer, { action: `${path}/delete`, label: 'Delete', confirm, tone: 'danger' })}
  </div>`;
}

function whenAndWho(at: string, name: string | null | undefined, now: Date): Html {
  return html`${ago(at, now)} ${name ? html`by <bdi>${name}</bdi>` : ''}`;
}

function firingsList(firings: Date[]): Html {
  return html`<ol class="plain">
    ${firings.map((at) => html`<li>${localTime(at)}</li>`)}
  </ol>`;
}

function runRow(run: RunItem, now: Date): (Html | string)[] {
  const { message = '' } = run.status_message ?? {};
  return [
    html`<a href="/runs/${encodeURIComponent(run.run_id)}">${localTime(run.created_at)}</a>`,
    badge(run.state),
    workedView(run, now) ?? '',
    message === '' ? '' : html`<span class="words">${message.slice(0, 300).toWellFormed()}</span>`,
  ];
}

function whenFacts(schedule: Schedule, now: Date): Fact[] {
  const { enabled, cron_schedule: cron } = schedule;
  const firings = enabled ? nextFirings(cron, now) : [];
  return [
    ['State', stateOf(schedule)],
    ['When', html`${inWords(cron)} <code>${cron}</code>`],
    ['Next', firings.length > 0 ? firingsList(firings) : undefined],
  ];
}

function workFacts({ schedule, agent }: ScheduleWithRuns, isWhole: boolean): Fact[] {
  const { agent_config: config = {}, metadata = {}, mode, environment } = schedule;
  const labels = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
  return [
    ['Environment', environment?.name && html`<bdi>${environment.name}</bdi>`],
    ['Agent', agent && agentLink(agent)],
    ['Model', config.model_id],
    ['Harness', config.harness?.type],
    ['Mode', mode === 'normal' ? undefined : mode],
    ['Skill', config.skill_spec && html`<bdi>${config.skill_spec}</bdi>`],
    ['Labels', labels.length > 0 ? html`<span class="wrap">${labels.join('\n')}</span>` : ''],
    ['Prompt', longText(schedule.prompt, isWhole)],
  ];
}

function agentLink({ uid, name }: Identity): Html {
  return html`<a href="/agents/${encodeURIComponent(uid)}"><bdi>${name}</bdi></a>`;
}

function madeFacts(schedule: Schedule, now: Date): Fact[] {
  const { created_at, created_by, updated_at, updated_by } = schedule;
  return [
    ['Created', whenAndWho(created_at, created_by?.display_name, now)],
    ['Changed', whenAndWho(updated_at, updated_by?.display_name, now)],
  ];
}

/** One schedule: what it does, when it runs next, and how it went. */
export function scheduleView(
  whole: ScheduleWithRuns,
  viewer: Viewer,
  now: Date,
  isWhole: boolean,
): Html {
  const { schedule, runs } = whole;
  const { last_spawn_error: error } = schedule;
  const all = `/runs?schedule=${encodeURIComponent(schedule.id)}`;
  return html`<div class="page medium">
    <nav class="crumbs" aria-label="Breadcrumb"><a href="/schedules">Schedules</a></nav>
    <div class="row">
      <h1><bdi>${schedule.name}</bdi></h1>
      ${actions(schedule, viewer)}
    </div>
    ${error === null ? '' : html`<p class="alert">Its last firing did not start a run: ${error}</p>`}
    ${card(
      'what',
      'What it does',
      factsView([
        ...whenFacts(schedule, now),
        ...workFacts(whole, isWhole),
        ...madeFacts(schedule, now),
      ]),
    )}
    ${listingView({
      title: 'Its last runs',
      columns: ['Started', 'State', 'Took', 'Message'],
      rows: runs.map((run) => runRow(run, now)),
      empty: 'It has started no run yet.',
    })}
    ${runs.length === 0 ? '' : html`<p><a href="${all}">All its runs</a></p>`}
  </div>`;
}

function stateOf({ enabled, last_spawn_error: error }: Schedule): Html {
  if (error !== null) return html`<span class="badge failed">Last start failed</span>`;
  return enabled
    ? html`<span class="badge succeeded">Active</span>`
    : html`<span class="badge cancelled">Paused</span>`;
}

/** The outcomes of its latest runs as dots, oldest first. */
function dots(runs: RunItem[]): Html {
  if (runs.length === 0) return html`<span class="muted">no runs</span>`;
  const states = runs.toReversed().map(({ state }) => state);
  const counts = [...Map.groupBy(states, (state) => STATES[state].label)].map(
    ([label, all]) => `${all.length} ${label.toLowerCase()}`,
  );
  const label = `The last ${plural(runs.length, 'run')}: ${counts.join(', ')}`;
  return html`<span class="dots" role="img" aria-label="${label}" title="${label}"
    >${states.map((state) => html`<span class="${state.toLowerCase()}"></span>`)}</span
  >`;
}
