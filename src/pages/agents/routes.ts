import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import type { Identity } from '../../contract/identity.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { PagesBackend } from '../backend.ts';
import { loadChoices } from '../compose/choices.ts';
import { onceHeaders, textsOf } from '../forms.ts';
import { keyRoutes, newKey } from '../keys/routes.ts';
import type { KeyNotice } from '../keys/view.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { withRest } from '../long-text.ts';
import { byName } from '../lists/in-order.ts';
import { partOf, placeOf } from '../lists/part.ts';
import { skillsAndModels } from '../lists/skills-and-models.ts';
import { NO_AGENT, agentForm, agentRequest, draftOfAgent, type AgentDraft } from './form.ts';
import { agentView, agentsList } from './view.ts';

/** The agents of a team: list, create, edit and delete them, and their keys. */
export function agentRoutes(backend: PagesBackend): Hono<PagesEnv> {
  const uidOf = (c: Context<PagesEnv>): string => c.req.param('uid') ?? '';
  const read = (c: Context<PagesEnv>): Promise<Identity> =>
    c.get('api').json(endpoints.identities.get, { params: { uid: uidOf(c) } });

  const showForm = async (
    c: Context<PagesEnv>,
    draft: AgentDraft,
    form: { uid?: string; problem?: ProblemError; isWhole?: boolean } = {},
  ) => {
    const viewer = c.get('viewer');
    const choices = await loadChoices(c.get('api'));
    const title = form.uid === undefined ? 'New agent' : 'Change the agent';
    const body = html`<div class="page medium">
      <h1>${title}</h1>
      ${agentForm({ viewer, choices, draft, ...form })}
    </div>`;
    return showPage(c, { title, section: 'agents', body }, form.problem ? 400 : 200);
  };

  /** Submits the form; shows it again with the problem if the service refuses it. */
  const save = async (c: Context<PagesEnv>, uid?: string): Promise<Response> => {
    const form = await c.req.parseBody();
    const typed = textsOf(form, NO_AGENT);
    const before = uid ? await read(c) : undefined;
    const draft = {
      ...typed,
      prompt: withRest(typed.prompt, before?.prompt ?? '', form['kept']),
    };
    const body = agentRequest(draft, before);
    try {
      const saved = uid
        ? await c.get('api').json(endpoints.identities.update, { params: { uid }, body })
        : await c.get('api').json(endpoints.identities.create, {
            body,
            headers: onceHeaders(form['once'], body),
          });
      return c.redirect(`/agents/${encodeURIComponent(saved.uid)}`, 303);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return showForm(c, draft, { problem: error, ...(uid ? { uid } : {}) });
    }
  };

  const show = async (c: Context<PagesEnv>, status: 200 | 400, notice?: KeyNotice) => {
    const [agent, api, viewer] = [await read(c), c.get('api'), c.get('viewer')];
    const [{ keys }, { environments }] = await Promise.all([
      api.json(endpoints.keys.list),
      api.json(endpoints.environments.list),
    ]);
    const environment = environments.find(({ uid }) => uid === agent.environment_id);
    const path = `/agents/${encodeURIComponent(agent.uid)}`;
    const itsKeys = keys.filter((key) => key.agent_uid === agent.uid);
    const own = {
      viewer,
      path: `${path}/keys`,
      keys: partOf(placeOf(c, path), 'keys', itsKeys),
      now: new Date(),
      empty: 'It has no keys yet. With a key of its own it can start runs by itself.',
      ...(notice ? { notice } : {}),
    };
    const body = agentView(agent, own, environment?.config.name, c.req.query('all') !== undefined);
    return showPage(c, { title: agent.name, section: 'agents', body }, status);
  };

  return new Hono<PagesEnv>()
    .get('/', async (c) => {
      const { agents } = await c.get('api').json(endpoints.identities.list);
      const place = placeOf(c, '/agents');
      const body = html`<div class="page">
        <h1>Agents</h1>
        ${agentsList(partOf(place, 'agents', byName(agents)))}
        ${await skillsAndModels(c.get('api'), place, new Date())}
      </div>`;
      return showPage(c, { title: 'Agents', section: 'agents', body });
    })
    .post('/', (c) => save(c))
    .get('/new', (c) => showForm(c, NO_AGENT))
    .get('/:uid', (c) => show(c, 200, newKey(c, backend)))
    .post('/:uid', (c) => save(c, uidOf(c)))
    .get('/:uid/edit', async (c) => {
      const agent = await read(c);
      const isWhole = c.req.query('all') !== undefined;
      return showForm(c, draftOfAgent(agent), { uid: agent.uid, isWhole });
    })
    .post('/:uid/delete', async (c) => {
      await c.get('api').send(endpoints.identities.delete, { params: { uid: uidOf(c) } });
      return c.redirect('/agents', 303);
    })
    .route('/:uid/keys', keyRoutes(backend, show));
}
