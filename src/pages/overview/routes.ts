import { Hono } from 'hono';
import { endpoints } from '../../contract/endpoints.ts';
import { statisticsGroup } from '../../contract/statistics.ts';
import { apiFor } from '../api.ts';
import type { PagesBackend } from '../backend.ts';
import { renderPage, type PagesEnv } from '../layout.ts';
import { SPANS_OF_DAYS, overviewView } from './view.ts';

const DAY_MS = 86_400_000;

/** GET /overview: how a team's runs went, from GET /agent/statistics. */
export function overviewRoutes(backend: PagesBackend): Hono<PagesEnv> {
  return new Hono<PagesEnv>().get('/', async (c) => {
    const viewer = c.get('viewer');
    const days = SPANS_OF_DAYS.find((it) => String(it) === c.req.query('days')) ?? 30;
    const group = statisticsGroup.safeParse(c.req.query('by')).data ?? 'environment';
    const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString();
    const statistics = await apiFor(backend, viewer.session).json(endpoints.statistics.read, {
      query: { from, group_by: group, bucket: days > 31 ? 'week' : 'day' },
    });
    const body = overviewView({ statistics, days, group });
    return c.html(renderPage(c, { title: 'Overview', section: 'overview', body }, viewer));
  });
}
