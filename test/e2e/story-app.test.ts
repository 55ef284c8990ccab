import { expect, it } from 'vitest';
import { startStoryWorld } from '../support/story-world.ts';

it('leads from a comment to a pull request and back to its run', async () => {
  const world = await startStoryWorld();
  const steps: string[] = [];
  await world.play((title) => steps.push(title));
  expect(steps.length).toBeGreaterThanOrEqual(10);
  expect(await world.results()).toEqual({ runs: 1, trackingComments: 1, pullRequests: 1 });
});
