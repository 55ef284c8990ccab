import { describe, expect, it, vi } from 'vitest';
import { freshId, repositoryOf, soon, worldOfFile, type Place } from '../support/app-world.ts';
import { end } from '../support/fake-service.ts';

const world = await worldOfFile({ sweepEveryMs: 200 });

/** A repository with an id and an installation of its own, as its payloads tell of it. */
function known(place: Place = world.place(), id = freshId()) {
  const installation = { id: 10_000 + id };
  const say = async (text: string, at = place, by = installation) =>
    world.reasonOf(
      await world.say(at, text, undefined, {
        repository: { ...repositoryOf(at), id },
        installation: by,
      }),
    );
  const tell = async (action: string) => {
    const guid = `installation-${freshId()}`;
    await world.send('installation', { action, installation }, guid);
    return world.reasonOf({ guid });
  };
  return { place, id, installation, say, tell };
}

const shows = (place: Place, text: string) =>
  vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain(text), soon);

const outboxWaits = async () =>
  /^runlink_app_outbox_waiting (\d+)/m.exec(await world.metrics())?.[1];

describe('a repository', () => {
  it('that is renamed or transferred goes on with its runs, in the same comment', async () => {
    const { place, say, id } = known();
    expect(await say('/agent fix it')).toBe('started');
    const run = await world.runOf(place);
    await shows(place, '`INPROGRESS`');
    const renamed = { ...place, repository: `elsewhere/${place.number}` };
    expect(await say('/agent and the docs', renamed)).toBe('followed_up');
    expect(run.followups).toEqual([expect.stringMatching(/^and the docs\n/)]);
    end(world.service, run, 'SUCCEEDED');
    await shows(place, '`SUCCEEDED`');
    expect(world.bodiesOn(place)).toHaveLength(1);
    const [edited] = world.github.seen.filter(({ method }) => method === 'PATCH').slice(-1);
    expect(edited?.path).toContain(`/repos/${renamed.repository}/issues/comments/`);
    const another = known(place, id + 1_000_000);
    expect(await another.say('/agent status')).toBe('no_run');
  });

  it('whose name passes to another keeps its own until it is heard of again', async () => {
    const [first, second] = [known(), known()];
    expect(await first.say('/agent fix it')).toBe('started');
    const run = await world.runOf(first.place);
    expect(await second.say('/agent status', first.place)).toBe('no_run');
    const away = { ...first.place, repository: `acme/away${first.id}` };
    expect(await first.say('/agent follow it', away)).toBe('followed_up');
    expect(run.followups).toEqual([expect.stringMatching(/^it\n/)]);
  });
});

describe('an installation', () => {
  it('that is suspended is written nothing, counts as nothing that waits, and is caught up with', async () => {
    const { place, say, tell } = known();
    expect(await say('/agent fix it')).toBe('started');
    await shows(place, '`INPROGRESS`');
    expect(await tell('suspend')).toBe('installation_suspend');
    end(world.service, await world.runOf(place), 'FAILED');
    await vi.waitFor(async () => {
      const { rowCount } = await world.database.pool.query(
        'select from app.posts where repository = $1 and written < version',
        [place.repository],
      );
      expect(rowCount).toBeGreaterThan(0);
    }, soon);
    // Posts of other tests may wait for their turn.
    await expect.poll(outboxWaits, soon).toBe('0');
    expect(world.bodiesOn(place).join()).toContain('`INPROGRESS`');
    expect(await tell('unsuspend')).toBe('installation_unsuspend');
    await shows(place, '`FAILED`');
  });

  it('that grants a new permission is shown what lacked it', async () => {
    const { place, say, tell } = known();
    const lacking = {
      matches: ({ method, path }: { method: string; path: string }) =>
        method === 'POST' && path.endsWith(`/${place.number}/comments`),
      fault: { kind: 'status', status: 403 } as const,
      times: Infinity,
    };
    world.github.faults.push(lacking);
    expect(await say('/agent fix it')).toBe('started');
    await vi.waitFor(async () => {
      const { rowCount } = await world.database.pool.query(
        'select from app.posts where repository = $1 and failure is not null',
        [place.repository],
      );
      expect(rowCount).toBe(1);
    }, soon);
    lacking.times = 0;
    expect(await tell('new_permissions_accepted')).toBe('installation_new_permissions_accepted');
    await shows(place, '`INPROGRESS`');
  });

  it('that is made anew goes on with what the old one began', async () => {
    const { place, say, tell, installation } = known();
    expect(await say('/agent fix it')).toBe('started');
    await shows(place, '`INPROGRESS`');
    expect(await tell('deleted')).toBe('installation_deleted');
    const anew = { id: installation.id + 1_000_000 };
    expect(await say('/agent follow it', place, anew)).toBe('followed_up');
    end(world.service, await world.runOf(place), 'SUCCEEDED');
    await shows(place, '`SUCCEEDED`');
    expect(world.bodiesOn(place)).toHaveLength(1);
  });

  it('that was taken away a month ago leaves nothing behind', async () => {
    const [gone, stays] = [known(), known()];
    for (const one of [gone, stays]) {
      expect(await one.say('/agent fix it')).toBe('started');
      await shows(one.place, '`INPROGRESS`');
    }
    await gone.tell('deleted');
    const { pool } = world.database;
    const rowsOf = async ({ installation, place }: typeof gone) => {
      const { rows } = await pool.query<{ n: number }>(
        `select (select count(*) from app.posts where installation_id = $1)
          + (select count(*) from app.requests where installation_id = $1)
          + (select count(*) from app.runs where installation_id = $1)
          + (select count(*) from app.run_threads where repository = $2)
          + (select count(*) from app.repositories where installation_id = $1) as n`,
        [installation.id, place.repository],
      );
      return Number(rows[0]?.n);
    };
    expect(await rowsOf(gone)).toBe(await rowsOf(stays));
    await pool.query(
      `update app.installations set gone_at = gone_at - interval '31 days' where id = $1`,
      [gone.installation.id],
    );
    await vi.waitFor(async () => expect(await rowsOf(gone)).toBe(0), soon);
    expect(await rowsOf(stays)).toBeGreaterThan(4);
  });
});
