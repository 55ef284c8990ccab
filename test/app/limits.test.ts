import { Octokit } from '@octokit/core';
import type { Kysely } from 'kysely';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/app/metrics.ts';
import type { Pace } from '../../src/commands/face.ts';
import { WRITE_WINDOWS, writeInstallation } from '../../src/app/outbox/writer.ts';
import { claimInstallations } from '../../src/app/store/installations.ts';
import { appMigrations } from '../../src/app/store/migrations.ts';
import { wish } from '../../src/app/store/posts.ts';
import { silentLog } from '../../src/base/log.ts';
import { openTables } from '../../src/database/open-database.ts';
import { useTestDatabase } from '../support/database.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
/**
 * Reactions wished of each installation, the first of which has used up most of its hour already.
 */
const WISHED = isLong ? [1300, 700, 700, 90, 5] : [100, 85, 5];
const EARLIER = 420;
const EARLIER_EVERY_MS = 4000;
const RETRY_AFTER_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

/** A repeatable source of numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A database of the App whose every statement, as it is planned, reads the time from a table. */
async function useClock() {
  const { url } = await useTestDatabase();
  const pool = new Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  const read = `returns timestamptz language sql immutable as 'select at from clock.time'`;
  await pool.query(`
    create schema clock;
    create table clock.time as select timestamptz '${new Date(START).toISOString()}' as at;
    create function clock.now() ${read};
    create function clock.clock_timestamp() ${read};`);
  const tables = await openTables<unknown>({
    location: { url },
    schema: 'app',
    migrations: appMigrations,
    settings: { search_path: 'clock,pg_catalog,app,public' },
    log: silentLog,
  });
  onTestFinished(() => tables.close());
  await pool.query(
    `insert into app.writes (installation_id, at)
     select 0, at - make_interval(secs => n * $1::float8) from clock.time, generate_series(1, $2) n`,
    [EARLIER_EVERY_MS / 1000, EARLIER],
  );
  const advance = async (ms: number): Promise<number> => {
    const { rows } = await pool.query<{ at: Date }>(
      `update clock.time set at = at + make_interval(secs => $1::float8) returning at`,
      [ms / 1000],
    );
    return rows[0]?.at.getTime() ?? 0;
  };
  /** How long until the first of the installations with something to write may do so. */
  const blockedMs = async (): Promise<number> => {
    const { rows } = await pool.query<{ ms: number | null }>(
      `select extract(epoch from min(blocked_until) - (select at from clock.time))::float8 * 1000 as ms
       from app.installations where id in
         (select installation_id from app.posts where written < version)`,
    );
    return Math.max(0, rows[0]?.ms ?? 0);
  };
  return { db: tables.kysely, advance, blockedMs };
}

interface Write {
  installation: number;
  at: number;
  refused: boolean;
}

function partsOf(db: Kysely<unknown>, githubOf: (installation: number) => Octokit) {
  const { writes } = createMetrics({
    inbox: () => Promise.reject(new Error('not asked')),
    outbox: () => Promise.reject(new Error('not asked')),
    githubRemaining: () => [],
    runsByState: () => Promise.resolve([]),
  });
  return {
    db,
    github: (installationId: number) => Promise.resolve(githubOf(installationId)),
    identity: () => Promise.resolve({ appId: 1, login: 'runlink[bot]' }),
    hide: [],
    windows: WRITE_WINDOWS,
    stopping: new AbortController().signal,
    metrics: { writes },
    log: silentLog,
  };
}

/** Lets several replicas write all that is wished; answers what GitHub saw, by the test's clock. */
async function writeAll(replicas: number): Promise<Write[]> {
  const { db, advance, blockedMs } = await useClock();
  const random = seeded(20_261_121);
  const writes: Write[] = [];
  const done = (): boolean =>
    writes.filter((write) => !write.refused).length >= WISHED.reduce((sum, count) => sum + count);
  const githubOf = (installation: number): Octokit => {
    const fetch = async (_: string, { method }: { method: string }): Promise<Response> => {
      if (method === 'GET') return Response.json([]);
      const at = await advance(random() * 400);
      const refused = random() < 0.01;
      writes.push({ installation, at, refused });
      if (!refused) return Response.json({ id: writes.length }, { status: 201 });
      const headers = { 'retry-after': String(RETRY_AFTER_MS / 1000) };
      return Response.json({ message: 'secondary rate limit' }, { status: 403, headers });
    };
    return new Octokit({ request: { fetch } });
  };
  for (const [installationId, count] of WISHED.entries()) {
    for (let n = 0; n < count; n += 1) {
      const place = { installationId, repository: 'acme/widgets', number: 1, key: '' };
      const target = { subject: 'issue', id: '1' } as const;
      const content = { content: 'rocket' } as const;
      const key = `${installationId}:${n}`;
      await wish(db, { ...place, key, kind: 'reaction', target, content });
    }
  }
  const parts = partsOf(db, githubOf);
  while (!done()) {
    const before = writes.length;
    await Promise.all(
      Array.from({ length: replicas }, async (_, index) => {
        const replica = { id: `replica-${index}`, leaseMs: 3_600_000 };
        const claimed = await claimInstallations(db, replica, 2);
        await Promise.all(claimed.map((id) => writeInstallation({ ...parts, replica }, id)));
      }),
    );
    // While nobody may write, time passes at once.
    await advance((writes.length === before ? await blockedMs() : 0) + 1000 + random() * 4000);
  }
  return writes;
}

/** The most writes that any stretch of time of this length has. */
function most(times: readonly number[], lengthMs: number): number {
  let first = 0;
  return times.reduce((highest, time, index) => {
    while ((times[first] ?? time) <= time - lengthMs) first += 1;
    return Math.max(highest, index - first + 1);
  }, 0);
}

describe('writes to GitHub', () => {
  it('of each installation stay within its limits, whoever writes, and wait for no other', async () => {
    const writes = await writeAll(3);
    const earlier = Array.from(
      { length: EARLIER },
      (_, n) => START - (EARLIER - n) * EARLIER_EVERY_MS,
    );
    const byInstallation = Map.groupBy(writes, (write) => write.installation);
    for (const [installation, own] of byInstallation) {
      const times = own.map((write) => write.at);
      if (installation === 0) times.unshift(...earlier);
      expect(own.filter((write) => !write.refused)).toHaveLength(WISHED[installation] ?? 0);
      // GitHub counts a request when it arrives, up to 20 s later than we do.
      expect(most(times, 60_000 + 20_000)).toBeLessThanOrEqual(80);
      expect(most(times, 3_600_000 + 20_000)).toBeLessThanOrEqual(500);
      const tooEarly = own.filter(
        ({ refused, at }, index) =>
          refused && (own[index + 1]?.at ?? Infinity) < at + RETRY_AFTER_MS,
      );
      expect(tooEarly).toEqual([]);
    }
    const lastOf = (installation: number): number =>
      ((byInstallation.get(installation)?.at(-1)?.at ?? 0) - START) / 60_000;
    const smallest = WISHED.length - 1;
    expect(lastOf(0)).toBeGreaterThan(30);
    expect(lastOf(smallest)).toBeLessThan(5);
    expect(lastOf(smallest - 1)).toBeLessThan(15);
  });
});

/** Comments of so many runs, on a clock of their own, and every edit of them that GitHub saw. */
async function runComments(count: number) {
  const { db, advance } = await useClock();
  const edits: { run: number; at: number; body: string }[] = [];
  const gone = new Set<number>();
  const fetch = async (address: string, init: { method: string; body: string }) => {
    const { body } = JSON.parse(init.body ?? '{}') as { body: string };
    const run = Number(/run-(\d+)/.exec(body)?.[1]);
    const stored = { id: run + 1, html_url: '', body, user: { login: 'runlink[bot]' } };
    if (init.method === 'GET') return Response.json([]);
    if (init.method === 'PATCH') edits.push({ run, at: await advance(0), body });
    if (init.method === 'PATCH' && gone.has(run)) {
      return Response.json({ message: 'Not Found' }, { status: 404 });
    }
    return Response.json({ ...stored, created_at: address }, { status: 201 });
  };
  const parts = partsOf(db, () => new Octokit({ request: { fetch } }));
  const replica = { id: 'replica', leaseMs: 3_600_000 };
  return {
    edits,
    gone,
    advance,
    say: async (text: string, pace?: Pace) => {
      for (let run = 0; run < count; run += 1) {
        const body = `<!-- run-${run} -->\n${text}`;
        await wish(db, {
          key: `comment:${run}`,
          kind: 'comment',
          installationId: 7,
          repository: 'acme/widgets',
          number: run + 1,
          target: { marker: `<!-- run-${run} -->`, replyTo: null },
          content: { body },
          pace,
        });
      }
    },
    write: async () => {
      for (const id of await claimInstallations(db, replica, 1))
        await writeInstallation({ ...parts, replica }, id);
    },
  };
}

const pace = { everyMs: 20_000, afterMs: 0 };

describe('a comment that shows how far a run is', () => {
  it('is changed at most once in 20 seconds, and at once when the run ends', async () => {
    const { edits, advance, say, write } = await runComments(1);
    for (let second = 0; second < 65; second += 1) {
      await say(`at ${second}`, pace);
      await write();
      await advance(1000);
    }
    expect(edits.map(({ at }) => (at - START) / 1000)).toEqual([1, 21, 41, 61]);
    expect(edits.at(-1)?.body).toContain('at 61');
    await say('ended');
    await write();
    expect(edits.at(-1)?.body).toContain('ended');
  });

  it('stays away when somebody took it away, however the run goes on', async () => {
    const { edits, gone, advance, say, write } = await runComments(1);
    await say('at 0', pace);
    await write();
    gone.add(0);
    for (const text of ['at 1', 'at 2', 'at 3', 'ended']) {
      await advance(60_000);
      await say(text, text === 'ended' ? undefined : pace);
      await write();
    }
    expect(edits).toHaveLength(1);
  });

  it('leaves half of the writes to how runs end', async () => {
    const { edits, advance, say, write } = await runComments(9);
    for (let minute = 0; minute < 30; minute += 1) {
      await say(`at ${minute}`, pace);
      for (let second = 0; second < 60; second += 12) {
        await advance(12_000);
        await write();
      }
    }
    const passing = edits.length;
    expect(passing).toBeGreaterThan(50);
    await say('ended');
    await write();
    expect(edits.slice(passing).every(({ body }) => body.includes('ended'))).toBe(true);
    expect(new Set(edits.slice(passing).map(({ run }) => run)).size).toBe(9);
  });
});
