import { Hono } from 'hono';
import { endpoints } from '../../contract/endpoints.ts';
import { statisticsGroup } from '../../contract/statistics.ts';
import type { Api } from '../api.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { SPANS_OF_DAYS, overviewView } from './view.ts';

const DAY_MS = 86_400_000;

/** GET /overview: how a team's runs went, from GET /agent/statistics. */
export const overviewRoutes = new Hono<PagesEnv>().get('/', async (c) => {
  const days = SPANS_OF_DAYS.find((it) => String(it) === c.req.query('days')) ?? 30;
  const group = statisticsGroup.safeParse(c.req.query('by')).data ?? 'environment';
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString();
  const api = c.get('api');
  const [statistics, { workers }, why] = await Promise.all([
    api.json(endpoints.statistics.read, {
      query: { from, group_by: group, bucket: days > 31 ? 'week' : 'day' },
    }),
    api.json(endpoints.workers.all),
    whyQueued(api),
  ]);
  const slots = workers.reduce((sum, { working, free }) => sum + working + free, 0);
  const body = overviewView({ statistics, days, group, slots, ...(why ? { why } : {}) });
  return showPage(c, { title: 'Overview', section: 'overview', body });
});

/** Why the run that has waited longest is still queued. */
async function whyQueued(api: Api): Promise<string | undefined> {
  const query = { state: ['QUEUED'], sort_by: 'created_at', sort_order: 'asc', limit: 1 };
  const { runs } = await api.json(endpoints.runs.list, { query });
  if (!runs[0]) return undefined;
  const params = { runId: runs[0].run_id };
  return (await api.json(endpoints.runs.get, { params })).waiting?.message;
}
