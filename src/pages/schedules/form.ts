import { html } from 'hono/html';
import type { ProblemError } from '../../contract/problem.ts';
import type { Schedule } from '../../contract/schedule.ts';
import { NO_TASK, type Choices } from '../compose/choices.ts';
import { workFields } from '../compose/view.ts';
import { fieldView, onceField, problemView } from '../forms.ts';
import type { Html } from '../html.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { keptRest, startOf } from '../long-text.ts';

/** The empty form of a schedule. */
export const NO_SCHEDULE = { name: '', cron: '', ...NO_TASK };
export type ScheduleDraft = typeof NO_SCHEDULE;

export interface ScheduleForm {
  viewer: Viewer;
  choices: Choices;
  draft: ScheduleDraft;
  /** Id of the schedule to edit; undefined for a new one. */
  id?: string;
  problem?: ProblemError;
  /** A note on fields of the composer that a schedule cannot have. */
  note?: string;
  /** The prompt is shown whole, however long. */
  isWhole?: boolean;
}

const CRON_HINT = html`Minute, hour, day of month, month and day of week, in UTC:
  <code>0 3 * * *</code> is every day at 03:00, <code>30 8 * * 1-5</code> at 08:30 from Monday to
  Friday, <code>*/15 * * * *</code> every quarter of an hour.`;

/** The form for creating or editing a schedule. */
export function scheduleForm(form: ScheduleForm): Html {
  const { viewer, choices, draft, id, problem, note, isWhole = true } = form;
  const prompt = startOf(draft.prompt, isWhole);
  const hint = keptRest(prompt, draft.prompt, '?all=yes');
  const action = id === undefined ? '/schedules' : `/schedules/${id}`;
  return html`<form class="card stack" method="post" action="${action}">
    ${tokenField(viewer, action)} ${onceField()} ${problemView(problem)}
    ${note === undefined ? '' : html`<p class="notice" role="status">${note}</p>`}
    ${fieldView({ name: 'name', label: 'Name', value: draft.name, required: true })}
    ${fieldView({ name: 'cron', label: 'When', value: draft.cron, required: true, mono: true, hint: CRON_HINT })}
    ${fieldView({ name: 'prompt', label: 'What should be done?', value: prompt, rows: 4, hint })}
    <div class="choices">${workFields(choices, draft)}</div>
    <p class="buttons">
      <button class="primary">${id === undefined ? 'Create schedule' : 'Save'}</button>
      <a class="button" href="${action}">Cancel</a>
    </p>
  </form>`;
}

export function draftOfSchedule(schedule: Schedule): ScheduleDraft {
  const { name, cron_schedule: cron, prompt, mode = '', agent_config: config = {} } = schedule;
  const { environment_id: environment = '', model_id: model = '' } = config;
  const { agent_uid: agent = '' } = schedule;
  return { name, cron, prompt, environment, model, agent, mode: mode === 'normal' ? '' : mode };
}

/** The body of the request to the service; the schedule's other settings are kept. */
export function scheduleRequest(
  { name, cron, prompt, environment, agent, model, mode }: ScheduleDraft,
  before?: Schedule,
) {
  const { environment_id: _, model_id: __, ...kept } = before?.agent_config ?? {};
  return {
    name,
    cron_schedule: cron,
    prompt,
    enabled: before?.enabled ?? true,
    mode: mode || 'normal',
    agent_uid: agent,
    agent_config: {
      ...kept,
      ...(environment ? { environment_id: environment } : {}),
      ...(model ? { model_id: model } : {}),
    },
  };
}
