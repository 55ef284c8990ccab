import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { claimDeliveries, insertDeliveries } from '../../src/app/store/deliveries.ts';
import { claimInstallations } from '../../src/app/store/installations.ts';
import { wish } from '../../src/app/store/posts.ts';
import { openTables, type Tables } from '../../src/database/open-database.ts';
import { appMigrations } from '../../src/app/store/migrations.ts';
import {
  BOT,
  freshId,
  INSTALLATION,
  issueComment,
  keepWorking,
  soon,
  startAppWorld,
  type AppWorld,
  type Place,
} from '../support/app-world.ts';
import { end } from '../support/fake-service.ts';
import { askOnPull, checksOf } from '../support/pull-scene.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { testLog } from '../support/test-log.ts';

let world: AppWorld;
let network: TcpProxy;
/** The database, past the network that the App goes through. */
let direct: Tables<unknown>;

beforeAll(async () => {
  world = await startAppWorld({
    leaseMs: 1000,
    settings: { probeEveryMs: 100 },
    reach: async (databaseUrl) => {
      const location = { url: databaseUrl };
      direct = await openTables({
        location,
        schema: 'app',
        migrations: appMigrations,
        log: testLog,
      });
      const url = new URL(databaseUrl);
      network = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
      url.host = `127.0.0.1:${network.port}`;
      return url.href;
    },
  });
  world.service.play = keepWorking;
});
afterAll(async () => {
  network.mend();
  await direct.close();
  await world.close();
  await network.close();
});

async function readiness(): Promise<unknown> {
  const answer = await fetch(`${world.url}/ready`);
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return {
    status: answer.status,
    failing: Object.keys(checks).filter((name) => checks[name] !== 'ok'),
  };
}
const ready = { status: 200, failing: [] };
const notReady = { status: 503, failing: ['database'] };

const shows = (place: Place, text: string): Promise<void> =>
  vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain(text), soon);

/** What the App claimed, and never learned that it did. */
async function claimUnheard(place: Place, guid: string): Promise<void> {
  const id = freshId();
  const payload = issueComment(place, '/agent fix it', { login: 'alice' }, id);
  const body = Buffer.from(JSON.stringify({ installation: { id: INSTALLATION }, ...payload }));
  const delivery = {
    guid,
    event: 'issue_comment',
    action: 'created',
    installationId: INSTALLATION,
  };
  const thread = `${place.repository}#${place.number}`;
  await insertDeliveries(direct.pool, [{ ...delivery, thread, objectId: `IC_${id}`, body }]);
  await wish(direct.kysely, {
    key: guid,
    kind: 'comment',
    installationId: INSTALLATION,
    ...place,
    target: { marker: '<!-- unheard -->', replyTo: null },
    content: { body: '<!-- unheard -->' },
  });
  const { rows } = await direct.pool.query<{ owner: string }>('select owner from app.leases');
  const replica = { id: rows[0]?.owner ?? '', leaseMs: 1000 };
  expect(await claimDeliveries(direct.kysely, replica, 9)).toHaveLength(1);
  await vi.waitFor(async () => {
    expect(await claimInstallations(direct.kysely, replica, 9)).toEqual([INSTALLATION]);
  }, soon);
}

describe('while its database is gone the App', () => {
  it('says so, takes nothing that it could not keep, and goes on with all of it afterwards', async () => {
    const place = world.place();
    const unheard = { place: world.place(), guid: randomUUID() };
    await world.reasonOf(await world.say(place, '/agent fix it'));
    const run = await world.runOf(place);
    await shows(place, '`INPROGRESS`');
    expect(await readiness()).toEqual(ready);
    network.cut();
    const refused = await world.send(
      'issue_comment',
      issueComment(place, '/agent status', { login: 'alice' }, freshId()),
    );
    expect(refused).toBe('inbox_unavailable');
    expect((await fetch(`${world.url}/health`)).status).toBe(200);
    expect(await readiness()).toEqual(notReady);
    // The watch hears of it, and cannot store it.
    world.service.change(run, { title: 'Another title' });
    await claimUnheard(unheard.place, unheard.guid);
    await vi.waitFor(() => expect(world.service.seen.length).toBeGreaterThan(5), soon);
    network.mend();
    await vi.waitFor(async () => expect(await readiness()).toEqual(ready), soon);
    expect(await world.reasonOf(unheard)).toBe('started');
    await shows(unheard.place, 'unheard');
    end(world.service, run, 'SUCCEEDED');
    await shows(place, '`SUCCEEDED`');
  });

  it('says so soon where it does not answer at all', async () => {
    network.freeze();
    expect(await readiness()).toEqual(notReady);
    network.mend();
    await vi.waitFor(async () => expect(await readiness()).toEqual(ready), soon);
  });
});

/** How long GitHub takes over a write; the App's lease is a second. */
const SLOW_MS = 1500;

/** Lets GitHub take its time over the next write to such a path; resolves when it has begun. */
async function slowWrite(path: RegExp, begin: () => Promise<Place>): Promise<Place> {
  const seen = new Promise<void>((resolve) => {
    world.github.faults.push({
      matches: (request) => {
        const isIt = request.method === 'POST' && path.test(request.path);
        if (isIt) resolve();
        return isIt;
      },
      fault: { kind: 'slow', ms: SLOW_MS },
      times: 1,
    });
  });
  const place = await begin();
  await seen;
  return place;
}

const asked = async (): Promise<Place> => {
  const place = world.place();
  await world.say(place, '/agent fix it');
  return place;
};

describe('a replica whose lease runs out while GitHub takes its time', () => {
  it('does not write again what it is writing', async () => {
    const place = await slowWrite(/issues\/\d+\/comments$/, asked);
    await direct.pool.query(`update app.installations set owner_until = now() - interval '1 s'`);
    await shows(place, '`INPROGRESS`');
    const writes = world.github.seen.filter(
      ({ method, path }) => method === 'POST' && path.endsWith(`/${place.number}/comments`),
    );
    expect(writes).toHaveLength(1);
  });

  it('takes back a comment that another has written meanwhile', async () => {
    const place = await slowWrite(/issues\/\d+\/comments$/, asked);
    const other = world.github.addComment(place.number, BOT, 'of another replica');
    await writtenByAnother('comment', place, other.id);
    await vi.waitFor(() => {
      expect(deletions(place)).toHaveLength(1);
      const standing = world.github.comments.filter(({ issue }) => issue === place.number);
      expect(standing.map(({ id }) => id)).toEqual([other.id]);
    }, soon);
  });

  it('closes a check that another has written meanwhile', async () => {
    let scene: Awaited<ReturnType<typeof askOnPull>> | undefined;
    const place = await slowWrite(/check-runs$/, async () => {
      scene = await askOnPull(world);
      return scene.place;
    });
    await writtenByAnother('check', place, 7);
    await vi.waitFor(() => {
      const checks = scene ? checksOf(world, scene.run) : [];
      expect(checks).toMatchObject([{ status: 'completed', conclusion: 'neutral' }]);
    }, soon);
  });
});

async function writtenByAnother(kind: string, { repository }: Place, id: number): Promise<void> {
  const { rowCount } = await direct.pool.query(
    `update app.posts set remote_id = $3, written = version where kind = $1 and repository = $2`,
    [kind, repository, String(id)],
  );
  expect(rowCount).toBe(1);
}

function deletions({ repository }: Place): unknown[] {
  return world.github.seen.filter(
    ({ method, path }) => method === 'DELETE' && path.includes(`/${repository}/issues/comments/`),
  );
}
