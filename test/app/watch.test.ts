import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeBackup } from '../../src/cli/backup/make-backup.ts';
import { restoreBackup } from '../../src/cli/backup/restore-backup.ts';
import { DEFAULT_OPERATOR_CONFIG } from '../../src/config/operator-config.ts';
import { resume } from '../../src/database/backup/hold.ts';
import {
  BOT,
  commentOf,
  freshId,
  from,
  pullOf,
  soon,
  worldOfFile,
  type Place,
} from '../support/app-world.ts';
import { end, now, type FakeRun } from '../support/fake-service.ts';
import { ownHead } from '../support/own-branch.ts';
import { addPull } from '../support/pull-scene.ts';
import { temporaryDirectory } from '../support/standin.ts';
import { testLog } from '../support/test-log.ts';

const world = await worldOfFile({
  sweepEveryMs: 200,
  settings: { tellAfterMs: 0, lookWithinMs: 500, probeEveryMs: 100 },
});
afterEach(() => {
  world.service.faults.length = 0;
  world.github.faults.length = 0;
});

async function working(): Promise<{ place: Place; run: FakeRun; id: number }> {
  const place = world.place();
  const said = await world.say(place, '/agent fix it');
  await world.reasonOf(said);
  return { place, run: await world.runOf(place), id: said.id };
}

function shows(place: Place, text: string | RegExp): Promise<void> {
  return vi.waitFor(() => expect(world.bodiesOn(place).join('\n')).toMatch(text), soon);
}

describe('a run', () => {
  it('whose end no poll told of is found by the sweep, and its thread ends in the truth', async () => {
    const { place, run, id } = await working();
    await shows(place, '`INPROGRESS`');
    // An end that never shows in what changed: its time lies before what was seen already.
    Object.assign(run, { state: 'FAILED', finished_at: now() });
    await shows(place, '`FAILED`');
    await vi.waitFor(() => expect(world.reactionsOn(id)).toEqual(['-1']), soon);
  });

  it('whose last words cannot be read when it ends shows them later', async () => {
    const { place, run } = await working();
    const unread = {
      matches: ({ path }: { path: string }) => path.endsWith(`${run.run_id}/conversation`),
      fault: { kind: 'status', status: 400 } as const,
      times: Infinity,
    };
    world.service.faults.push(unread);
    world.service.change(run, { state: 'SUCCEEDED', finished_at: now() });
    await shows(place, '`SUCCEEDED`');
    expect(world.bodiesOn(place)[0]).not.toContain('All is well.');
    unread.times = 0;
    await shows(place, 'All is well.');
  });

  it('whose text no database takes as it is holds up nothing', async () => {
    const [odd, other] = [await working(), await working()];
    world.service.change(odd.run, {
      words: 'last\0 words',
      title: 'half \ud83d of it\0',
      prompt: 'a\\u0000b',
    });
    end(world.service, odd.run, 'SUCCEEDED', { status_message: { message: 'all\0 done' } });
    end(world.service, other.run, 'FAILED');
    await shows(odd.place, '`SUCCEEDED`');
    await shows(odd.place, 'last words');
    await shows(other.place, '`FAILED`');
    const said = await world.say(world.place(), '/agent fix \0 it \udc00');
    expect(await world.reasonOf(said)).toBe('started');
  });

  it('that the service no longer knows is told of, and picked up again when it is back', async () => {
    const { place, run } = await working();
    world.service.runs.splice(world.service.runs.indexOf(run), 1);
    await shows(place, /The service has not known this run since \S+ \S+ UTC/);
    world.service.runs.push(run);
    world.service.change(run, { state: 'SUCCEEDED', finished_at: now() });
    await shows(place, '`SUCCEEDED`');
    expect(world.bodiesOn(place)).toHaveLength(1);
    expect(world.bodiesOn(place)[0]).not.toContain('has not known');
  });

  it('that stays away for a day is given up: nothing is in progress for ever', async () => {
    const place = world.place();
    const sha = freshId().toString().padStart(40, '0');
    const repo = { full_name: place.repository };
    const head = { ref: 'topic', sha, repo };
    world.github.addPull({ number: place.number, head, base: { ref: 'main', repo } });
    const issue = pullOf(place, sha, { pull_request: { url: 'x' } });
    const said = await world.say(place, '/agent fix it', undefined, { issue });
    await world.reasonOf(said);
    const run = await world.runOf(place);
    world.service.runs.splice(world.service.runs.indexOf(run), 1);
    await shows(place, 'It is checked again until it is back');
    await world.database.pool.query(
      `update app.runs set missing_since = now() - interval '25 hours' where run_id = $1`,
      [run.run_id],
    );
    await shows(place, 'it is no longer watched');
    await vi.waitFor(() => {
      const checks = world.github.checks.filter((check) => check['external_id'] === run.run_id);
      expect(checks).toMatchObject([{ status: 'completed', conclusion: 'neutral' }]);
      expect(world.reactionsOn(said.id)).toEqual(['confused']);
    }, soon);
  });

  it('shows that the service is down, and goes on when it answers again', async () => {
    const { place, run, id } = await working();
    const waiting = world.place();
    const quiet = world.place();
    await shows(place, '`INPROGRESS`');
    const down = {
      matches: () => true,
      fault: { kind: 'status', status: 503 } as const,
      times: Infinity,
    };
    await world.restart(() => void world.service.faults.push(down));
    const said = await world.say(waiting, '/agent fix it');
    const pull = pullOf(quiet, 'c'.repeat(40));
    const { ref } = ownHead(run);
    const url = addPull(world, quiet, 'c'.repeat(40), { login: BOT, ref });
    world.service.references.push({ url, run_id: run.run_id });
    const push = `push-${freshId()}`;
    await world.send('pull_request', { ...from(quiet, 'opened'), pull_request: pull }, push);
    await shows(place, /The run service has not answered since \S+ \S+ UTC/);
    await shows(waiting, 'The run service does not answer as it should. The command is kept');
    world.service.faults.length = 0;
    await world.database.pool.query(
      'update app.deliveries set run_at = now() where finished_at is null',
    );
    world.service.change(run, { state: 'SUCCEEDED', finished_at: now() });
    await shows(place, '`SUCCEEDED`');
    expect(world.bodiesOn(place)[0]).not.toContain('has not answered');
    await vi.waitFor(() => expect(world.reactionsOn(id)).toEqual(['rocket']), soon);
    expect(await world.reasonOf(said)).toBe('started');
    await shows(waiting, 'What did not answer for a while is back');
    await shows(waiting, '`INPROGRESS`');
    expect(await world.reasonOf({ guid: push })).toBe('pull_opened');
    await shows(quiet, 'comes from a Runlink run');
    expect(world.bodiesOn(quiet)).toHaveLength(1);
  });
});

describe('a command that cannot be carried out', () => {
  async function givenUp(guid: string): Promise<void> {
    await world.database.pool.query(
      `update app.deliveries set received_at = now() - interval '7 hours', run_at = now()
        where guid = $1`,
      [guid],
    );
  }

  it('for six hours is given up, and says so', async () => {
    const place = world.place();
    const rule = {
      matches: ({ path }: { path: string }) =>
        path.startsWith(`/repos/${place.repository}/collaborators/`),
      fault: { kind: 'status', status: 502 } as const,
      times: Infinity,
    };
    world.github.faults.push(rule);
    const said = await world.say(place, '/agent fix it');
    await shows(place, 'GitHub does not answer as it should. The command is kept and tried again');
    await givenUp(said.guid);
    expect(await world.reasonOf(said)).toBe('github_unreachable');
    await shows(place, 'the command was given up. Write it again when it is back');
    await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['confused']), soon);
    expect([world.bodiesOn(place).length, world.runsOf(place)]).toEqual([1, []]);
  });

  it('because GitHub refuses says so, and leaves the thread free for the next', async () => {
    const place = world.place();
    const rule = {
      matches: ({ path }: { path: string }) => path.includes(`/${place.repository}/contents/`),
      fault: { kind: 'status', status: 403, message: 'Not for @you' } as const,
      times: Infinity,
    };
    world.github.faults.push(rule);
    const said = await world.say(place, '/agent fix it');
    const next = await world.say(place, '/agent help');
    await world.database.pool.query(`update app.deliveries set faults = 4 where guid = $1`, [
      said.guid,
    ]);
    expect(await world.reasonOf(said)).toBe('github_unreachable');
    await shows(place, /GitHub refused what the command needs[^]*> 403 Not for @&#8203;you/);
    rule.times = 0;
    await world.database.pool.query(
      'update app.deliveries set run_at = now() where finished_at is null',
    );
    expect(await world.reasonOf(next)).toBe('reported_help');
  });

  it('because of a fault of ours says so', async () => {
    const place = world.place();
    const review = freshId();
    const path = `/repos/${place.repository}/pulls/${place.number}/reviews/${review}/comments`;
    world.github.answers.set(path, { status: 200, json: [{}] });
    const comment = {
      ...commentOf(place, '/agent fix it', { login: 'alice' }, freshId()),
      pull_request_review_id: review,
      path: 'a.ts',
    };
    const guid = `fault-${review}`;
    const pull_request = pullOf(place, 'c'.repeat(40));
    const payload = { ...from(place, 'created'), pull_request, comment };
    await world.send('pull_request_review_comment', payload, guid);
    await world.database.pool.query('update app.deliveries set faults = 4 where guid = $1', [guid]);
    expect(await world.reasonOf({ guid })).toBe('internal_error');
    const said = (): string => world.github.replies.map(({ body }) => body).join();
    await vi.waitFor(() => expect(said()).toContain(`by delivery \`${guid}\``), soon);
  });
});

describe('a command that was tried often', () => {
  /** Says something that cannot be carried out, and how often that was tried already. */
  async function tried(times: { attempts: number; waits: number }) {
    const place = world.place();
    const rule = {
      matches: ({ path }: { path: string }) => path.includes(`/${place.repository}/contents/`),
      fault: { kind: 'status' as const, status: 502 },
      times: Infinity,
    };
    world.github.faults.push(rule);
    const said = await world.say(place, '/agent help');
    await vi.waitFor(async () => {
      const { rowCount } = await world.database.pool.query(
        `update app.deliveries set attempts = $2, waits = $3, run_at = now()
          where guid = $1 and waits = 1 and owner is null`,
        [said.guid, times.attempts, times.waits],
      );
      expect(rowCount).toBe(1);
    }, soon);
    return { place, said, rule };
  }

  it('because of an outage is not given up for a fault of ours beside it', async () => {
    const { said, rule } = await tried({ attempts: 300, waits: 300 });
    rule.fault.status = 422;
    await vi.waitFor(async () => {
      const { rowCount } = await world.database.pool.query(
        'select from app.deliveries where guid = $1 and faults = 1 and finished_at is null',
        [said.guid],
      );
      expect(rowCount).toBe(1);
    }, soon);
    rule.times = 0;
    await world.database.pool.query('update app.deliveries set run_at = now() where guid = $1', [
      said.guid,
    ]);
    expect(await world.reasonOf(said)).toBe('reported_help');
  });

  it('and ended the process each time is given up, so that it does not end it for ever', async () => {
    const { place, said } = await tried({ attempts: 60, waits: 1 });
    expect(await world.reasonOf(said)).toBe('internal_error');
    await shows(place, `by delivery \`${said.guid}\``);
  });
});

describe('clocks that differ', () => {
  const HOURS = 3_600_000;
  const RealDate = Date;

  it.each([-12 * HOURS, 12 * HOURS])(
    'by %d ms from the database’s make nothing twice, and nothing late',
    async (ms) => {
      vi.stubGlobal(
        'Date',
        class extends RealDate {
          constructor(...given: [] | [value: string | number | Date]) {
            super(given[0] ?? RealDate.now() + ms);
          }
          static override now(): number {
            return RealDate.now() + ms;
          }
        },
      );
      onTestFinished(() => void vi.unstubAllGlobals());
      const place = world.place();
      const fault = { kind: 'reset' } as const;
      world.github.faults.push({
        matches: ({ method, path }) =>
          method === 'POST' && path.endsWith(`/${place.number}/comments`),
        fault,
        times: 1,
        effective: true,
      });
      const said = await world.say(place, '/agent fix it');
      expect(await world.reasonOf(said)).toBe('started');
      const run = await world.runOf(place);
      world.service.change(run, { state: 'SUCCEEDED', finished_at: now() });
      await shows(place, '`SUCCEEDED`');
      await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['rocket']), soon);
      expect(world.bodiesOn(place)).toHaveLength(1);
    },
  );
});

describe('an App restored from a backup', () => {
  it('writes nothing before --resume, and then nothing twice', async () => {
    const { pool, url } = world.database;
    const dataDir = await temporaryDirectory();
    const file = join(dataDir, 'app.tar.gz');
    const common = {
      file,
      location: { url },
      dataDir,
      config: DEFAULT_OPERATOR_CONFIG,
      variables: {},
      contents: true,
      log: testLog,
      signal: new AbortController().signal,
    };
    const isOpen = async (words: string): Promise<boolean> =>
      (await pool.query(`select from app.${words}`)).rowCount !== 0;
    const fault = { kind: 'status', status: 503 } as const;
    const isWrite = ({ method }: { method: string }): boolean => method !== 'GET';
    const [wished, handled, later] = [world.place(), world.place(), world.place()];
    const done = await working();
    await shows(done.place, '`INPROGRESS`');

    // The backup finds posts that are not written, and a command that is not carried out.
    world.github.faults.push({ matches: isWrite, fault, times: Infinity });
    const first = await world.say(wished, '/agent fix it');
    const run = await world.runOf(wished);
    await vi.waitFor(
      async () => expect(await isOpen(`posts where failure is not null`)).toBe(true),
      soon,
    );
    world.service.faults.push({ matches: isWrite, fault, times: Infinity });
    const second = await world.say(handled, '/agent fix it');
    await makeBackup(common);
    expect(await isOpen('deliveries where finished_at is null')).toBe(true);

    // What it does not know of: all of them reach GitHub.
    const goOn = async (): Promise<void> => {
      world.github.faults.length = 0;
      world.service.faults.length = 0;
      await pool.query('update app.posts set run_at = now()');
      await pool.query('update app.deliveries set run_at = now() where finished_at is null');
      await pool.query('update app.installations set blocked_until = now()');
    };
    await goOn();
    await shows(wished, '`INPROGRESS`');
    await shows(handled, '`INPROGRESS`');
    world.service.change(run, { state: 'SUCCEEDED', finished_at: now() });
    await vi.waitFor(() => expect(world.reactionsOn(first.id)).toEqual(['rocket']), soon);
    const stands = () =>
      [done.place, wished, handled].map((place) => [
        world.runsOf(place).length,
        world.bodiesOn(place),
      ]);
    await vi.waitFor(
      () => expect(stands()[1]?.[1]).toEqual([expect.stringContaining('All is well.')]),
      soon,
    );
    const before = stands();

    await world.restart(async () => {
      for (const schema of ['app', 'runlink', 'runlink_jobs', 'runlink_restore'])
        await pool.query(`drop schema if exists ${schema} cascade`);
      await restoreBackup(common);
    });
    const asked = world.github.seen.filter(isWrite).length;
    const third = await world.say(later, '/agent fix it');
    await vi.waitFor(async () => expect(await isOpen('deliveries')).toBe(true), soon);
    expect(world.github.seen.filter(isWrite)).toHaveLength(asked);
    expect(world.runsOf(later)).toEqual([]);

    await resume(pool);
    expect(await world.reasonOf(third)).toBe('started');
    await goOn();
    expect(await world.reasonOf(second)).toBe('started');
    await vi.waitFor(async () => {
      expect(await isOpen(`runs where stale or run_id = '${run.run_id}' and live`)).toBe(false);
      expect(await isOpen('posts where written < version')).toBe(false);
    }, soon);
    expect(stands()).toEqual(before);
    expect([first, second].map(({ id }) => world.reactionsOn(id))).toEqual([['rocket'], ['eyes']]);
  });
});
