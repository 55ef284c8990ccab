import { Octokit } from '@octokit/core';
import { describe, expect, it } from 'vitest';
import { insertDeliveries } from '../../src/app/store/deliveries.ts';
import { recoverDeliveries } from '../../src/app/watch/recover-deliveries.ts';
import { silentLog } from '../../src/base/log.ts';
import { openAppDatabase } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;

interface Attempt {
  guid: string;
  event: string;
  status: number;
  /** By GitHub's clock. */
  at: number;
}

/** GitHub's list of deliveries, two to a page, by a clock of its own. */
async function stage(clock: { now: number }) {
  const { kysely: db, pool } = await openAppDatabase((await useTestDatabase()).url);
  const attempts: Attempt[] = [];
  const asked: string[] = [];
  const answer = (url: URL, method: string): Response => {
    const headers = { date: new Date(clock.now).toUTCString(), 'content-type': 'application/json' };
    const id = /deliveries\/(\d+)\/attempts/.exec(url.pathname)?.[1];
    if (method === 'POST') {
      asked.push(attempts[Number(id)]?.guid ?? '');
      return Response.json({}, { status: 202, headers });
    }
    const all = attempts
      .map(({ guid, event, status, at }, index) => ({
        id: index,
        guid,
        event,
        status_code: status,
        delivered_at: new Date(at).toISOString(),
      }))
      .toSorted((a, b) => b.delivered_at.localeCompare(a.delivered_at));
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const link = `<${url.origin}/app/hook/deliveries?cursor=${from + 2}>; rel="next"`;
    const more = from + 2 < all.length ? { link } : {};
    return Response.json(all.slice(from, from + 2), { headers: { ...headers, ...more } });
  };
  const fetch = async (url: string, init: { method: string }): Promise<Response> =>
    answer(new URL(url), init.method);
  const github = new Octokit({ request: { fetch } });
  const context = { db, log: silentLog, appGithub: () => Promise.resolve(github) };
  return {
    pool,
    list: (guid: string, status: number, at = clock.now, event = 'issue_comment') =>
      void attempts.push({ guid, event, status, at }),
    /** The deliveries that one pass has redelivered. */
    recover: async (): Promise<string[]> => {
      asked.length = 0;
      expect(await recoverDeliveries(context, EVERY_MS)).toBe(asked.length);
      return [...asked];
    },
  };
}

const SKEWS = { 'right clock': 0, 'clock an hour behind': 60, 'clock an hour ahead': -60 };

describe('missed deliveries', () => {
  it.each(Object.entries(SKEWS))(
    'are asked for again if the inbox does not know them, with a %s',
    async (_, minutes) => {
      const clock = { now: Date.now() + minutes * MINUTE_MS };
      const { pool, list, recover } = await stage(clock);
      const known = { guid: 'stored but not answered', event: 'issue_comment', action: 'created' };
      await insertDeliveries(pool, [
        {
          ...known,
          installationId: 1,
          thread: 'acme/widgets#1',
          objectId: 'IC_1',
          body: Buffer.from('{}'),
        },
      ]);
      list('missed first', 502, clock.now - 50 * MINUTE_MS);
      list('taken', 202, clock.now - 40 * MINUTE_MS);
      list('stored but not answered', 504, clock.now - 30 * MINUTE_MS);
      list('failed, then taken', 500, clock.now - 20 * MINUTE_MS);
      list('failed, then taken', 202, clock.now - 10 * MINUTE_MS);
      list('nothing of ours', 502, clock.now - MINUTE_MS, 'star');
      list('suspended', 502, clock.now, 'installation');
      expect(await recover()).toEqual(['missed first', 'suspended']);
    },
  );

  it('that fail again are asked for ever more seldom, as long as GitHub has them', async () => {
    const clock = { now: Math.floor(Date.now() / 1000) * 1000 };
    const { list, recover } = await stage(clock);
    list('missed', 502);
    const begun = clock.now;
    const waits: number[] = [];
    for (let pass = 0; pass < 60; pass += 1) {
      list(`another ${pass}`, 202);
      if ((await recover()).length > 0) {
        waits.push((clock.now - begun) / MINUTE_MS);
        list('missed', 502);
      }
      clock.now += EVERY_MS;
    }
    expect(waits).toEqual([0, 5, 15, 35, 75, 155]);
  });
});
