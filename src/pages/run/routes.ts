import { Hono, type Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { endpoints } from '../../contract/endpoints.ts';
import { ERROR_CATALOGUE, ProblemError } from '../../contract/problem.ts';
import { repeatOf } from '../../contract/repeat-run.ts';
import { apiFor, type Api } from '../api.ts';
import type { Guest, PagesBackend } from '../backend.ts';
import { onceHeaders } from '../forms.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { submitRun } from '../compose/start-run.ts';
import { loadRun, type Part } from './load.ts';
import { documentOf, documentPage, documentText } from './document-page.ts';
import { findPlace } from './find-place.ts';
import { FIND_MAX, type Find } from './find-view.ts';
import { TABS, pieceView, runView, updateView, type RunView, type Tab } from './view.ts';
import { isTerminal } from '../../contract/run.ts';
import { runPath } from '../format.ts';

/** How long a live update waits: less than the 25 s allowed, so that proxies do not end it. */
const UPDATE_WAIT_SECONDS = 20;
/** Without scripts, the page of a working run reloads itself after this time. */
const REFRESH_SECONDS = 10;

const NO_MESSAGE = 'Nothing was sent: write what the agent should do.';

const NOTICES: Record<string, string> = {
  cancelled: 'The run is being cancelled.',
  sent: 'Your message was sent.',
  'no-failure': 'Nothing in this run has failed.',
};

type RunContext = Context<PagesEnv, '/:runId'>;

export function runRoutes(backend: PagesBackend): Hono<PagesEnv> {
  /** A shared run for somebody outside its team. */
  const loadShared = async (guest: Guest, part: Part, tab: Tab): Promise<RunView> => {
    const data = await loadRun(apiFor(backend, guest), guest.sharedRun, part, true);
    return { ...data, tab, images: 0, now: new Date(), ...(isPart(part) ? { isPart: true } : {}) };
  };

  const loadAny = async (c: RunContext, part: Part, tab: Tab = 'conversation') => {
    const guest = c.get('guest');
    if (guest) return loadShared(guest, part, tab);
    try {
      return await load(c, part, tab);
    } catch (error) {
      const isHidden = error instanceof ProblemError && error.code === 'resource_not_found';
      const shared = isHidden ? await backend.guest(c.req.param('runId')) : null;
      if (!shared) throw error;
      return loadShared(shared, part, tab);
    }
  };

  const load = async (c: RunContext, part: Part, tab: Tab = 'conversation'): Promise<RunView> => {
    const api = c.get('api');
    const data = await loadRun(api, c.req.param('runId'), part);
    const name = await environmentName(api, data.run.agent_config?.environment_id);
    const { attachments } = await api.json(endpoints.runs.attachments, {
      params: { runId: data.run.run_id },
    });
    return {
      ...data,
      tab,
      images: attachments.length,
      viewer: c.get('viewer'),
      publicLinks: backend.publicLinks,
      now: new Date(),
      ...(name === undefined ? {} : { environmentName: name }),
      ...(isPart(part) ? { isPart: true } : {}),
    };
  };

  const page = (c: Context<PagesEnv>, view: RunView, status?: ContentfulStatusCode) => {
    // The other tabs do not reload, so that nobody loses a follow-up while writing it.
    const isFollowed = view.tab === 'conversation' && view.isPart !== true;
    const live = isFollowed && !isTerminal(view.run.state);
    return showPage(
      c,
      {
        title: view.run.title,
        section: 'runs',
        body: runView(view),
        isForGuest: view.viewer === undefined,
        ...(live ? { refreshSeconds: REFRESH_SECONDS } : {}),
      },
      status,
    );
  };

  /** Shows the page again, with what was typed, after the service refused the form. */
  const refused = async (c: RunContext, error: unknown, draft: string): Promise<Response> => {
    if (!(error instanceof ProblemError)) throw error;
    const { status } = ERROR_CATALOGUE[error.code];
    if (status === 404 || status >= 500) throw error;
    const view = await load(c, {});
    return page(c, { ...view, draft, notice: { text: error.message, bad: true } }, status);
  };

  const routes = new Hono<PagesEnv>();

  routes.get('/:runId', async (c) => {
    const find = findOf(c.req.query());
    const isWhole = c.req.query('all') !== undefined;
    const loaded = await loadAny(c, partOf(c.req.query()));
    const view = { ...loaded, isWhole, ...(find ? { find } : {}) };
    const text = NOTICES[c.req.query('notice') ?? ''];
    return page(c, text === undefined ? view : { ...view, notice: { text, bad: false } });
  });

  routes.get('/:runId/find', async (c) => {
    const { q, failed, ...places } = c.req.query();
    const path = runPath(c.req.param('runId'));
    const sought = failed ? { failed: true } : { q: q?.slice(0, FIND_MAX).toWellFormed() };
    const words = sought.q === undefined ? '' : `find=${encodeURIComponent(sought.q)}&`;
    if (!failed && !sought.q) return c.redirect(path, 303);
    const found = await findPlace(c.get('api'), c.req.param('runId'), sought, {
      after: positionIn(places['after']) ?? 0,
      before: positionIn(places['before']),
      until: positionIn(places['until']),
    });
    const { at, searchedTo = 'all', until = 0 } = found;
    if (at !== undefined) return c.redirect(`${path}?${words}at=${at}#e-${at}`, 303);
    if (failed) return c.redirect(`${path}?notice=no-failure`, 303);
    return c.redirect(`${path}?${words}searched=${searchedTo}&until=${until}`, 303);
  });

  for (const tab of TABS.slice(1)) {
    const read = tab === 'changes' ? loadAny : load;
    routes.get(`/:runId/${tab}`, async (c) =>
      page(c, { ...(await read(c, {}, tab)), ...aloneOf(c.req.query()) }),
    );
  }

  routes.get('/:runId/updates', async (c) => {
    const after = positionIn(c.req.query('after')) ?? 0;
    const tab = TABS.find((name) => name === c.req.query('tab'));
    const signal = AbortSignal.any([c.req.raw.signal, backend.closing]);
    const wait = c.req.query('wait') === 'no' ? 0 : UPDATE_WAIT_SECONDS;
    const loaded = await loadAny(c, { after, wait, signal }, tab);
    return c.html(updateView({ ...loaded, ...aloneOf(c.req.query()) }));
  });

  routes.get('/:runId/piece', async (c) =>
    c.html(pieceView(await loadAny(c, { ...partOf(c.req.query()), isPiece: true }))),
  );

  routes.get('/:runId/images/:number', async (c) => {
    const { runId, number } = c.req.param();
    const { attachments } = await c
      .get('api')
      .json(endpoints.runs.attachments, { params: { runId } });
    const image = attachments[Number(number) - 1];
    if (!image) return c.notFound();
    return c.body(Buffer.from(image.data, 'base64'), 200, { 'content-type': image.mime_type });
  });

  routes.post('/:runId/cancel', async (c) => {
    const runId = c.req.param('runId');
    try {
      await c.get('api').send(endpoints.runs.cancel, { params: { runId } });
    } catch (error) {
      return refused(c, error, '');
    }
    return c.redirect(`${runPath(runId)}?notice=cancelled`, 303);
  });

  routes.post('/:runId/followups', async (c) => {
    const runId = c.req.param('runId');
    const { message, back, once } = await c.req.parseBody();
    const text = typeof message === 'string' ? message.replaceAll('\r\n', '\n') : '';
    try {
      // The API continues an ended run without a message; on the page that would be a mistake.
      if (text.trim() === '') throw new ProblemError('invalid_request', { detail: NO_MESSAGE });
      const body = { message: text };
      const headers = onceHeaders(once, body);
      await c.get('api').send(endpoints.runs.followup, { params: { runId }, body, headers });
    } catch (error) {
      return refused(c, error, text);
    }
    if (back === 'list') return c.redirect('/runs?state=BLOCKED', 303);
    return c.redirect(`${runPath(runId)}?notice=sent#followup`, 303);
  });

  routes.post('/:runId/retry', async (c) => {
    const runId = c.req.param('runId');
    try {
      const { once } = await c.req.parseBody();
      const run = await c.get('api').json(endpoints.runs.get, { params: { runId } });
      const started = await submitRun(c.get('api'), repeatOf(run), once);
      return c.redirect(runPath(started), 303);
    } catch (error) {
      return refused(c, error, '');
    }
  });

  routes.post('/:runId/sharing', async (c) => {
    const runId = c.req.param('runId');
    const isOn = (await c.req.parseBody())['public'] === 'yes';
    const body = { public_access: isOn ? 'VIEWER' : null };
    await c.get('api').send(endpoints.runs.share, { params: { runId }, body });
    return c.redirect(`${runPath(runId)}/details`, 303);
  });

  routes.get('/:runId/transcript', async (c) => {
    const runId = c.req.param('runId');
    const answer = await c.get('api').send(endpoints.runs.transcript, { params: { runId } });
    const location = answer.headers.get('location');
    return location === null ? c.notFound() : c.redirect(location, 302);
  });

  routes.get('/:runId/artifacts/:artifactUid', async (c) => {
    const { runId, artifactUid } = c.req.param();
    const api = c.get('api');
    const artifact = await api.json(endpoints.artifacts.get, { params: { artifactUid } });
    const text =
      c.req.query('view') === 'text'
        ? await documentText(backend, c.get('viewer').session, artifact)
        : undefined;
    if (artifact.artifact_type !== 'PLAN' && text === undefined)
      return c.redirect(artifact.data.download_url, 302);
    const run = await api.json(endpoints.runs.get, { params: { runId } });
    const view = documentOf(artifact, text);
    const body = documentPage(run, view, c.req.query('all') !== undefined);
    return showPage(c, { title: view.title, section: 'runs', body });
  });

  routes.post('/:runId/artifacts/:artifactUid/visibility', async (c) => {
    const { runId, artifactUid } = c.req.param();
    const isPublic = (await c.req.parseBody())['public'] === 'yes';
    await c.get('api').send(endpoints.artifacts.setVisibility, {
      params: { artifactUid },
      body: { public: isPublic },
    });
    return c.redirect(`${runPath(runId)}/artifacts`, 303);
  });

  return routes;
}

function partOf(query: Record<string, string>): Part {
  const [at, before, from] = [query['at'], query['before'], query['from']].map(positionIn);
  return {
    ...(at ? { at } : {}),
    ...(before ? { before } : {}),
    ...(from ? { from } : {}),
  };
}

function isPart({ at, before, from }: Part): boolean {
  return [at, before, from].some((it) => it !== undefined);
}

function findOf({ find, at, searched, until }: Record<string, string>): Find | undefined {
  const q = find?.slice(0, FIND_MAX).toWellFormed();
  if (!q) return undefined;
  const [found, searchedTo] = [positionIn(at), positionIn(searched)];
  if (found !== undefined) return { q, at: found };
  if (searched === undefined) return { q };
  return { q, none: searchedTo ? { searchedTo, until: positionIn(until) ?? 0 } : {} };
}

/** The changed file that is asked for alone. */
function aloneOf(query: Record<string, string>): Pick<RunView, 'alone'> {
  const [file, line] = [positionIn(query['file']), positionIn(query['line'])];
  return file ? { alone: { file, line: line || 1 } } : {};
}

/** A log position from the URL; undefined for anything else. */
function positionIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The name of the run's environment, if this person may see it. */
async function environmentName(api: Api, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const { environments } = await api.json(endpoints.environments.list);
  return environments.find((environment) => environment.uid === id)?.config.name;
}
