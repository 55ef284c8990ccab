import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { requestOfSchedule } from '../../contract/repeat-run.ts';
import type { Schedule } from '../../contract/schedule.ts';
import { apiFor, type Api } from '../api.ts';
import type { PagesBackend } from '../backend.ts';
import { loadChoices, newDraft } from '../compose/choices.ts';
import { submitRun } from '../compose/start-run.ts';
import { onceHeaders, textsOf } from '../forms.ts';
import type { Html } from '../html.ts';
import { renderPage, type PagesEnv } from '../layout.ts';
import { partOf, placeOf } from '../lists/part.ts';
import {
  draftOfSchedule,
  scheduleForm,
  scheduleRequest,
  type ScheduleDraft,
  type ScheduleForm,
} from './form.ts';
import { scheduleView, schedulesView, type ScheduleWithRuns } from './view.ts';

/** How many of its latest runs a schedule shows. */
const LAST_RUNS = 10;

type OneSchedule = Context<PagesEnv, '/:id'>;

/** The page with a schedule's form. */
export async function showScheduleForm(
  c: Context<PagesEnv>,
  api: Api,
  draft: Partial<ScheduleDraft>,
  form: Pick<ScheduleForm, 'id' | 'problem' | 'note'> = {},
): Promise<Response> {
  const viewer = c.get('viewer');
  const choices = await loadChoices(api);
  const first = { name: '', cron: '', ...(await newDraft(api, viewer.session, choices)) };
  const title = form.id === undefined ? 'New schedule' : 'Change the schedule';
  const body = html`<div class="page medium">
    <h1>${title}</h1>
    ${scheduleForm({ viewer, choices, draft: { ...first, ...draft }, ...form })}
  </div>`;
  const status = form.problem ? 400 : 200;
  return c.html(renderPage(c, { title, section: 'schedules', body }, viewer), status);
}

/** The schedules of a team: list, create, edit, pause, run and delete them. */
export function scheduleRoutes(backend: PagesBackend): Hono<PagesEnv> {
  const apiOf = (c: Context<PagesEnv>): Api => apiFor(backend, c.get('viewer').session);
  const show = (c: Context<PagesEnv>, title: string, body: Html) =>
    c.html(renderPage(c, { title, section: 'schedules', body }, c.get('viewer')));
  const read = (c: OneSchedule): Promise<Schedule> =>
    apiOf(c).json(endpoints.schedules.get, { params: { scheduleId: c.req.param('id') } });

  /** Submits the form; shows it again with the problem if the service refuses it. */
  const save = async (c: Context<PagesEnv>, before?: Schedule): Promise<Response> => {
    const form = await c.req.parseBody();
    const draft = textsOf(form, NO_DRAFT);
    const body = scheduleRequest(draft, before);
    try {
      const { id } = before
        ? await apiOf(c).json(endpoints.schedules.update, {
            params: { scheduleId: before.id },
            body,
          })
        : await apiOf(c).json(endpoints.schedules.create, {
            body,
            headers: onceHeaders(form['once'], body),
          });
      return c.redirect(`/schedules/${encodeURIComponent(id)}`, 303);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return showScheduleForm(c, apiOf(c), draft, {
        problem: error,
        ...(before ? { id: before.id } : {}),
      });
    }
  };

  const routes = new Hono<PagesEnv>()
    .get('/', async (c) => {
      const { schedules } = await apiOf(c).json(endpoints.schedules.list);
      const part = partOf(placeOf(c, '/schedules'), 'schedules', schedules);
      const all = await Promise.all(part.shown.map((schedule) => withRuns(apiOf(c), schedule)));
      const body = html`<div class="page">
        <h1>Schedules</h1>
        ${schedulesView({ ...part, shown: all }, new Date())}
      </div>`;
      return show(c, 'Schedules', body);
    })
    .post('/', (c) => save(c))
    .get('/new', (c) => showScheduleForm(c, apiOf(c), {}))
    .get('/:id', async (c) => {
      const schedule = await withRuns(apiOf(c), await read(c));
      const { agents } = await apiOf(c).json(endpoints.identities.list);
      const agent = agents.find(({ uid }) => uid === schedule.schedule.agent_uid);
      const whole = { ...schedule, ...(agent ? { agent } : {}) };
      return show(c, schedule.schedule.name, scheduleView(whole, c.get('viewer'), new Date()));
    })
    .post('/:id', async (c) => save(c, await read(c)))
    .get('/:id/edit', async (c) => {
      const schedule = await read(c);
      return showScheduleForm(c, apiOf(c), draftOfSchedule(schedule), { id: schedule.id });
    })
    .post('/:id/run', async (c) => {
      const { once } = await c.req.parseBody();
      const runId = await submitRun(apiOf(c), requestOfSchedule(await read(c)), once);
      return c.redirect(`/runs/${encodeURIComponent(runId)}`, 303);
    });
  for (const [verb, to] of [
    ['pause', '/:id'],
    ['resume', '/:id'],
    ['delete', ''],
  ] as const) {
    routes.post(`/:id/${verb}`, async (c) => {
      const id = c.req.param('id');
      await apiOf(c).send(endpoints.schedules[verb], { params: { scheduleId: id } });
      return c.redirect(`/schedules${to.replace(':id', encodeURIComponent(id))}`, 303);
    });
  }
  return routes;
}

const NO_DRAFT: ScheduleDraft = {
  name: '',
  cron: '',
  prompt: '',
  environment: '',
  agent: '',
  model: '',
  mode: '',
};

async function withRuns(api: Api, schedule: Schedule): Promise<ScheduleWithRuns> {
  const query = { schedule_id: schedule.id, sort_by: 'created_at', limit: LAST_RUNS };
  const { runs } = await api.json(endpoints.runs.list, { query });
  return { schedule, runs };
}
