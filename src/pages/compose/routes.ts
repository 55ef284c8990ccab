import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import { pullOf } from '../../contract/repeat-run.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { Api } from '../api.ts';
import type { Html } from '../html.ts';
import { keptRest, startOf, withRest } from '../long-text.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { showScheduleForm } from '../schedules/routes.ts';
import { draftOf, loadChoices, newDraft, type Draft } from './choices.ts';
import { submitRun } from './start-run.ts';
import { composerView } from './view.ts';
import { runPath } from '../format.ts';

const TEXTS = ['prompt', 'environment', 'agent', 'model', 'mode'] as const;
const NOT_PERSONAL = 'The whole team sees the runs of a schedule.';
const NO_IMAGES = 'A schedule cannot have images, so they were left out.';

const NO_PULL_REQUEST = 'The runs of a schedule cannot work on an existing pull request.';

/** GET /new, filled from the URL or from an earlier run, and POST /new, which starts a run. */
export const composeRoutes = new Hono<PagesEnv>()
  .get('/', async (c) => {
    const { from, ...given } = c.req.query();
    const run =
      from !== undefined &&
      (await c.get('api').json(endpoints.runs.get, { params: { runId: from } }));
    const draft = run ? draftOf(run) : readDraft((name) => given[name]);
    return show(c, draft, undefined, !run || given['all'] !== undefined);
  })
  .post('/', async (c) => {
    const form = await c.req.formData();
    const draft = await wholeDraft(c.get('api'), form);
    const images = await imagesOf(form);
    if (form.get('then') === 'schedule')
      return showScheduleForm(c, draft, leftOut(draft, images.length));
    try {
      const metadata = await pullOn(c.get('api'), draft.on);
      const body = {
        ...requestOf(draft),
        ...(metadata ? { metadata } : {}),
        ...(images.length > 0 ? { attachments: images } : {}),
      };
      const runId = await submitRun(c.get('api'), body, form.get('once'));
      return c.redirect(runPath(runId), 303);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const again = html`<noscript> Choose the images again.</noscript>`;
      const problem = html`${error.message}${images.length > 0 ? again : ''}`;
      return show(c, draft, problem);
    }
  });

async function show(
  c: Context<PagesEnv>,
  draft: Partial<Draft>,
  problem?: Html,
  isWhole = true,
): Promise<Response> {
  const [api, viewer] = [c.get('api'), c.get('viewer')];
  const choices = await loadChoices(api);
  const filled = { ...(await newDraft(api, viewer.session, choices)), ...draft };
  const pull = await pullOn(api, filled.on).catch(() => undefined);
  const prompt = startOf(filled.prompt, isWhole);
  const whole = `/new?${new URLSearchParams({ from: filled.from ?? '', all: 'yes' }).toString()}`;
  const body = html`<div class="page">
    <h1>New run</h1>
    ${composerView({
      viewer,
      choices,
      draft: { ...filled, prompt },
      rest: keptRest(prompt, filled.prompt, whole),
      ...(pull ? { pull } : {}),
      ...(problem === undefined ? {} : { problem }),
    })}
  </div>`;
  return showPage(
    c,
    { title: 'New run', section: 'runs', body },
    problem === undefined ? 200 : 400,
  );
}

/** Metadata of the pull request that a run worked on, if this person may see the run. */
async function pullOn(api: Api, runId = ''): Promise<Record<string, string> | undefined> {
  if (runId === '') return undefined;
  return pullOf(await api.json(endpoints.runs.get, { params: { runId } }));
}

/** The draft that was sent, with the rest of a long prompt that stays as it was. */
async function wholeDraft(api: Api, form: FormData): Promise<Partial<Draft>> {
  const draft = readDraft((name) => form.get(name));
  const { prompt = '', from: runId } = draft;
  if (!runId || !form.has('kept')) return draft;
  const stored = await api.json(endpoints.runs.get, { params: { runId } });
  return { ...draft, prompt: withRest(prompt, stored.prompt, form.get('kept')) };
}

/** A note if the draft holds something that a schedule cannot have. */
function leftOut({ personal, on }: Partial<Draft>, images: number): { note?: string } {
  if (personal) return { note: NOT_PERSONAL };
  if (on) return { note: NO_PULL_REQUEST };
  return images > 0 ? { note: NO_IMAGES } : {};
}

/** The fields of a draft that were sent. */
function readDraft(value: (name: keyof Draft) => unknown): Partial<Draft> {
  const names = [...TEXTS, 'personal', 'on', 'from'] as const;
  const given = names.flatMap((name) => {
    const text = value(name);
    return typeof text === 'string' ? [[name, text.replaceAll('\r\n', '\n')] as const] : [];
  });
  return Object.fromEntries(given);
}

/** The request body; the service checks it. */
function requestOf({ prompt, environment, agent, model, mode, personal }: Partial<Draft>) {
  return {
    prompt,
    ...(mode ? { mode } : {}),
    ...(personal ? { team: false } : {}),
    ...(agent ? { agent_identity_uid: agent } : {}),
    config: {
      ...(environment ? { environment_id: environment } : {}),
      ...(model ? { model_id: model } : {}),
    },
  };
}

async function imagesOf(form: FormData) {
  const files = form.getAll('images').filter((it) => typeof it !== 'string' && it.size > 0);
  return Promise.all(
    (files as File[]).map(async (image) => ({
      file_name: image.name,
      mime_type: image.type,
      data: Buffer.from(await image.arrayBuffer()).toString('base64'),
    })),
  );
}
