import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startStoryWorld, type PartName } from '../support/story-world.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const PARTS: readonly PartName[] = ['serve', 'app', 'worker'];
/** Steps of the story; a kill at one of them happens some time after it began. */
const STEPS = 11;
const LATEST_MS = 600;
/** A lease that its worker never heard of is given back only after a grace period. */
const TEST_WITHIN_MS = 240_000;
const ONCE = { runs: 1, trackingComments: 1, pullRequests: 1 };

interface Kill {
  part: PartName;
  step: number;
  /** Time after the step began. */
  afterMs: number;
}

/** A repeatable source of numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Plays the story while processes are killed at the given steps, each started again at once. */
async function playKilled(kills: readonly Kill[]): Promise<typeof ONCE> {
  const world = await startStoryWorld();
  const restarts: Promise<unknown>[] = [];
  let step = -1;
  const killAndRestart = async ({ part, afterMs }: Kill): Promise<void> => {
    await delay(afterMs);
    await world.parts[part].kill();
    await world.parts[part].start();
  };
  await world.play(() => {
    step += 1;
    for (const kill of kills) if (kill.step === step) restarts.push(killAndRestart(kill));
  });
  await Promise.all(restarts);
  expect(restarts).toHaveLength(kills.length);
  expect(step).toBeGreaterThanOrEqual(STEPS - 2);
  return world.results();
}

describe('the story, with its processes killed on the way', () => {
  // The kills of each process alone are played each time (test/faults).
  it.runIf(LONG)(
    'comes to one run, one comment and one pull request when each process dies, the App twice',
    async () => {
      const kills: Kill[] = [
        { part: 'app', step: 1, afterMs: 150 },
        { part: 'worker', step: 4, afterMs: 300 },
        { part: 'app', step: 6, afterMs: 200 },
        { part: 'serve', step: 8, afterMs: 50 },
      ];
      expect(await playKilled(kills)).toEqual(ONCE);
    },
    TEST_WITHIN_MS,
  );

  // Undisturbed, `npm start` plays it each time (start.test.ts).
  it.runIf(LONG)('comes to the same when nobody dies', { timeout: TEST_WITHIN_MS }, async () => {
    expect(await playKilled([])).toEqual(ONCE);
  });

  const random = seeded(20_261_121);
  const every = PARTS.flatMap((part) =>
    Array.from({ length: STEPS }, (_, step): Kill => ({
      part,
      step,
      afterMs: Math.round(random() * LATEST_MS),
    })),
  );
  it.for(LONG ? every : [])(
    'comes to the same when $part dies $afterMs ms into step $step',
    { timeout: TEST_WITHIN_MS },
    async (kill) => {
      expect(await playKilled([kill])).toEqual(ONCE);
    },
  );
});
