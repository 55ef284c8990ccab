import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Api } from '../api.ts';
import type { Html } from '../html.ts';
import { ago } from '../time-view.ts';
import { listingView } from './table.ts';

function stateOf({ enabled, last_spawn_error: error }: Schedule): Html {
  if (error !== null) {
    return html`<span class="badge failed" title="${error}">Last start failed</span>`;
  }
  return enabled
    ? html`<span class="badge succeeded">Active</span>`
    : html`<span class="badge cancelled">Paused</span>`;
}

function rowOf(schedule: Schedule, now: Date): (Html | string)[] {
  const { id, name, cron_schedule: cron, history } = schedule;
  return [
    html`<a href="/runs?schedule=${encodeURIComponent(id)}"><bdi>${name}</bdi></a>`,
    html`<code>${cron}</code>`,
    stateOf(schedule),
    history.last_ran === null ? 'never' : ago(history.last_ran, now),
    history.next_run === null ? '–' : ago(history.next_run, now),
  ];
}

/** Scheduled agents, each with a link to the runs it started. */
export async function schedulesPage(api: Api, now: Date): Promise<Html> {
  const { schedules } = await api.json(endpoints.schedules.list);
  return listingView({
    title: 'Scheduled agents',
    columns: ['Name', 'When (UTC)', 'State', 'Last run', 'Next run'],
    rows: schedules.map((schedule) => rowOf(schedule, now)),
    empty: html`No schedules yet. Create one with <code>POST /api/v1/agent/schedules</code>.`,
  });
}
