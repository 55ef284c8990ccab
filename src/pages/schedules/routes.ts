import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { requestOfSchedule } from '../../contract/repeat-run.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Api } from '../api.ts';
import { loadChoices, newDraft } from '../compose/choices.ts';
import { submitRun } from '../compose/start-run.ts';
import { onceHeaders, textsOf } from '../forms.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { withRest } from '../long-text.ts';
import { byName } from '../lists/in-order.ts';
import { partOf, placeOf } from '../lists/part.ts';
import {
  NO_SCHEDULE,
  draftOfSchedule,
  scheduleForm,
  scheduleRequest,
  type ScheduleDraft,
  type ScheduleForm,
} from './form.ts';
import { scheduleView, schedulesView, type ScheduleWithRuns } from './view.ts';
import { runPath } from '../format.ts';

/** How many of its latest runs a schedule shows. */
const LAST_RUNS = 10;

type OneSchedule = Context<PagesEnv, '/:id'>;

/** The page with a schedule's form. */
export async function showScheduleForm(
  c: Context<PagesEnv>,
  draft: Partial<ScheduleDraft>,
  form: Pick<ScheduleForm, 'id' | 'problem' | 'note' | 'isWhole'> = {},
): Promise<Response> {
  const [api, viewer] = [c.get('api'), c.get('viewer')];
  const choices = await loadChoices(api);
  const first = { ...NO_SCHEDULE, ...(await newDraft(api, viewer.session, choices)) };
  const title = form.id === undefined ? 'New schedule' : 'Change the schedule';
  const body = html`<div class="page medium">
    <h1>${title}</h1>
    ${scheduleForm({ viewer, choices, draft: { ...first, ...draft }, ...form })}
  </div>`;
  return showPage(c, { title, section: 'schedules', body }, form.problem ? 400 : 200);
}

/** The schedules of a team: list, create, edit, pause, run and delete them. */
export function scheduleRoutes(): Hono<PagesEnv> {
  const read = (c: OneSchedule): Promise<Schedule> =>
    c.get('api').json(endpoints.schedules.get, { params: { scheduleId: c.req.param('id') } });

  /** Submits the form; shows it again with the problem if the service refuses it. */
  const save = async (c: Context<PagesEnv>, before?: Schedule): Promise<Response> => {
    const form = await c.req.parseBody();
    const typed = textsOf(form, NO_SCHEDULE);
    const prompt = before ? withRest(typed.prompt, before.prompt, form['kept']) : typed.prompt;
    const draft = { ...typed, prompt };
    const body = scheduleRequest(draft, before);
    try {
      const { id } = before
        ? await c.get('api').json(endpoints.schedules.update, {
            params: { scheduleId: before.id },
            body,
          })
        : await c.get('api').json(endpoints.schedules.create, {
            body,
            headers: onceHeaders(form['once'], body),
          });
      return c.redirect(`/schedules/${encodeURIComponent(id)}`, 303);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return showScheduleForm(c, draft, {
        problem: error,
        ...(before ? { id: before.id } : {}),
      });
    }
  };

  const routes = new Hono<PagesEnv>()
    .get('/', async (c) => {
      const { schedules } = await c.get('api').json(endpoints.schedules.list);
      const part = partOf(placeOf(c, '/schedules'), 'schedules', byName(schedules));
      const all = await Promise.all(part.shown.map((schedule) => withRuns(c.get('api'), schedule)));
      const body = html`<div class="page">
        <h1>Schedules</h1>
        ${schedulesView({ ...part, shown: all }, new Date())}
      </div>`;
      return showPage(c, { title: 'Schedules', section: 'schedules', body });
    })
    .post('/', (c) => save(c))
    .get('/new', (c) => showScheduleForm(c, {}))
    .get('/:id', async (c) => {
      const schedule = await withRuns(c.get('api'), await read(c));
      const { agents } = await c.get('api').json(endpoints.identities.list);
      const agent = agents.find(({ uid }) => uid === schedule.schedule.agent_uid);
      const whole = { ...schedule, ...(agent ? { agent } : {}) };
      const body = scheduleView(
        whole,
        c.get('viewer'),
        new Date(),
        c.req.query('all') !== undefined,
      );
      return showPage(c, { title: schedule.schedule.name, section: 'schedules', body });
    })
    .post('/:id', async (c) => save(c, await read(c)))
    .get('/:id/edit', async (c) => {
      const schedule = await read(c);
      const isWhole = c.req.query('all') !== undefined;
      return showScheduleForm(c, draftOfSchedule(schedule), { id: schedule.id, isWhole });
    })
    .post('/:id/run', async (c) => {
      const { once } = await c.req.parseBody();
      const runId = await submitRun(c.get('api'), requestOfSchedule(await read(c)), once);
      return c.redirect(runPath(runId), 303);
    });
  for (const [verb, to] of [
    ['pause', '/:id'],
    ['resume', '/:id'],
    ['delete', ''],
  ] as const) {
    routes.post(`/:id/${verb}`, async (c) => {
      const id = c.req.param('id');
      await c.get('api').send(endpoints.schedules[verb], { params: { scheduleId: id } });
      return c.redirect(`/schedules${to.replace(':id', encodeURIComponent(id))}`, 303);
    });
  }
  return routes;
}

async function withRuns(api: Api, schedule: Schedule): Promise<ScheduleWithRuns> {
  const query = { schedule_id: schedule.id, sort_by: 'created_at', limit: LAST_RUNS };
  const { runs } = await api.json(endpoints.runs.list, { query });
  return { schedule, runs };
}
