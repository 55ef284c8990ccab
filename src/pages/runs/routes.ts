import { Hono, type Context } from 'hono';
import { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { listRunsResponse } from '../../contract/run.ts';
import { readAnswer } from '../api.ts';
import type { PagesBackend } from '../backend.ts';
import { loadChoices, newDraft } from '../compose/choices.ts';
import { composerView } from '../compose/view.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { readFilter, toListQuery, writeFilter, type RunsFilter } from './filter.ts';
import { readSteps } from './latest-steps.ts';
import { runListTitle, runListUpdate, runListView, type RunList } from './view.ts';

/** How long a live update waits: less than the 25 s allowed, so that proxies do not end it. */
const UPDATE_WAIT_SECONDS = 20;
/** Earlier than any run. */
const FIRST_RUNS = '2025-01-01T00:00:00Z';

/** GET /runs and its live updates. */
export function runListRoutes(backend: PagesBackend): Hono<PagesEnv> {
  /** The list; undefined if nothing changed from `etag` while waiting. */
  const load = async (
    c: Context<PagesEnv>,
    filter: RunsFilter,
    etag?: string,
    wait = UPDATE_WAIT_SECONDS,
  ): Promise<RunList | undefined> => {
    const api = c.get('api');
    const answer = await api.send(endpoints.runs.list, {
      query: toListQuery(filter),
      ...(etag === undefined
        ? {}
        : {
            etag,
            wait,
            signal: AbortSignal.any([c.req.raw.signal, backend.closing]),
          }),
    });
    if (answer.status === 304) return undefined;
    const { runs, page_info } = listRunsResponse.parse(await readAnswer(answer));
    const now = new Date();
    const [{ environments }, counts, steps] = await Promise.all([
      api.json(endpoints.environments.list, { query: { sort_by: 'name' } }),
      api.json(endpoints.statistics.read, { query: { from: FIRST_RUNS, bucket: 'month' } }),
      readSteps(api, runs),
    ]);
    return {
      runs,
      environments,
      steps,
      counts,
      viewer: c.get('viewer'),
      filter,
      etag: answer.headers.get('etag') ?? '',
      now,
      ...(page_info.next_cursor === undefined ? {} : { nextCursor: page_info.next_cursor }),
    };
  };

  return new Hono<PagesEnv>()
    .get('/', async (c) => {
      const viewer = c.get('viewer');
      const filter = readFilter(new URL(c.req.url).searchParams);
      const list = await load(c, filter).catch((error: unknown) => {
        // The cursor of an old link is no longer valid, but its filters are.
        if (filter.cursor && error instanceof ProblemError && error.code === 'invalid_request')
          return 'stale' as const;
        throw error;
      });
      if (list === 'stale')
        return c.redirect(`/runs?${writeFilter({ ...filter, cursor: '' })}`, 302);
      if (!list) return c.notFound();
      const api = c.get('api');
      const choices = await loadChoices(api);
      const draft = await newDraft(api, viewer.session, choices);
      const body = runListView(list, composerView({ viewer, choices, draft }));
      return showPage(c, { title: runListTitle(list), section: 'runs', body });
    })
    .get('/updates', async (c) => {
      const params = new URL(c.req.url).searchParams;
      const wait = params.get('wait') === 'no' ? 0 : UPDATE_WAIT_SECONDS;
      const list = await load(c, readFilter(params), params.get('after') ?? undefined, wait);
      return list ? c.html(runListUpdate(list)) : c.body(null, 204);
    });
}
