import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commentEvent, startWorld, type ActionWorld } from '../support/action-world.ts';
import {
  INSTALLATION,
  keepWorking,
  soon,
  startAppWorld,
  type AppWorld,
  type Place,
} from '../support/app-world.ts';

let app: AppWorld;
let action: ActionWorld;
beforeAll(async () => {
  // Of forty writes an hour a quarter may go to strangers.
  const windows = [{ count: 40, seconds: 3600 }];
  [app, action] = await Promise.all([startAppWorld({ windows }), startWorld()]);
  app.service.play = keepWorking;
});
afterAll(async () => {
  await Promise.all([app.close(), action.close()]);
});

const MANY = Array.from({ length: 25 }, (_, at) => `/agent do thing ${at}`).join('\n\n');
const PEOPLE = 40;

/** What was written on GitHub, in order. */
function writesTo({ github }: AppWorld | ActionWorld): string[] {
  return github.seen
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/graphql'))
    .map(({ path }) => path);
}

/** Lets the App write nothing, or as usual again. */
async function hold(isHeld: boolean): Promise<void> {
  await app.database.pool.query(
    `insert into app.installations (id) values ($1) on conflict do nothing`,
    [INSTALLATION],
  );
  await app.database.pool.query(
    `update app.installations set blocked_until = now() + make_interval(hours => $2) where id = $1`,
    [INSTALLATION, isHeld ? 1 : -1],
  );
}

// The hour's writes are one budget for all of these, and the last one uses it up.
describe('refusing (threats.md G16)', { shuffle: false }, () => {
  it('a comment of twenty-five commands costs the App two writes', async () => {
    const place = app.place();
    const said = await app.say(place, MANY, { login: 'mallory' });
    expect(await app.reasonOf(said)).toContain('actor_below_bar');
    await vi.waitFor(() => {
      expect(app.reactionsOn(said.id)).toEqual(['-1']);
      expect(app.bodiesOn(place)).toHaveLength(1);
    }, soon);
    expect(writesTo(app)).toHaveLength(2);
  });

  it('and the Action as many', async () => {
    const user = { login: 'mallory', type: 'User' };
    const step = await action.run(commentEvent(MANY, { comment: { user }, sender: user }));
    expect(step.outputs['skipped']).toBe('true');
    expect(writesTo(action)).toEqual([
      '/repos/acme/widgets/issues/comments/501/reactions',
      '/repos/acme/widgets/issues/1/comments',
    ]);
  });

  it('many strangers holds up nobody’s run: their answers come last and are dropped first', async () => {
    const before = writesTo(app).length;
    await hold(true);
    const strangers = Array.from({ length: PEOPLE }, (_, at) => ({ login: `stranger-${at}` }));
    const theirs = app.place();
    for (const one of await Promise.all(
      strangers.map((by) => app.say(theirs, '/agent fix it', by)),
    )) {
      expect(await app.reasonOf(one)).toBe('actor_below_bar');
    }
    const place: Place = app.place();
    const said = await app.say(place, '/agent fix it');
    expect(await app.reasonOf(said)).toBe('started');
    await hold(false);
    await vi.waitFor(async () => {
      expect(app.bodiesOn(place).join()).toContain('INPROGRESS');
      expect(await waiting()).toBe(0);
    }, soon);
    const writes = writesTo(app).slice(before);
    // Alice’s run first, although she asked last.
    const isHers = writes.map(
      (path) => path.includes(`/${place.repository}/`) || path.endsWith(`/comments/${said.id}`),
    );
    expect(isHers.slice(0, 2)).toEqual([true, true]);
    // What the hour has left for strangers, and no more of their eighty answers.
    const strangersWrites = isHers.filter((hers) => !hers).length;
    expect(strangersWrites).toBeLessThanOrEqual(8);
    expect(await app.reasonOf(await app.say(place, '/agent status'))).toBe('reported_status');
    await vi.waitFor(() => expect(app.bodiesOn(place)).toHaveLength(2), soon);
  });
});

async function waiting(): Promise<number> {
  const { rows } = await app.database.pool.query<{ waiting: number }>(
    'select count(*)::int as waiting from app.posts where written < version',
  );
  return rows[0]?.waiting ?? 0;
}
