import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pushHint } from '../../src/worker/run/result/push-work.ts';
import { soon, startAppWorld, type AppWorld } from '../support/app-world.ts';

let world: AppWorld;
beforeAll(async () => {
  world = await startAppWorld();
});
afterAll(() => world.close());

describe('a permission that the App lacks', () => {
  const denied = {
    kind: 'status',
    status: 403,
    message: 'Resource not accessible by integration',
  } as const;

  it.each([
    ['to ask who may', /\/permission$/],
    ['to read the configuration', /\/contents\//],
  ])('%s is told on the thread at once (docs: rest/troubleshooting)', async (_, path) => {
    const place = world.place();
    const start = `/repos/${place.repository}/`;
    world.github.faults.push({
      matches: (seen) => seen.path.startsWith(start) && path.test(seen.path),
      fault: denied,
      times: Infinity,
    });
    const sent = await world.say(place, '/agent fix it');
    expect(await world.reasonOf(sent)).toBe('permission_missing');
    await vi.waitFor(() => expect(world.bodiesOn(place)).toHaveLength(1), soon);
    expect(world.bodiesOn(place)[0]).toContain('must accept the new permissions');
    expect(world.runsOf(place)).toEqual([]);
  });

  it.each([
    [
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
      'workflows: write',
    ],
    [
      'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml` without `workflow` scope',
      'its workflow scope',
    ],
    [
      'GH013: Repository rule violations found for refs/heads/runlink/x. Push cannot contain secrets',
      'A rule of the repository refuses it',
    ],
    ['This repository was archived so it is read-only.', 'is archived'],
    ['Permission to acme/widgets.git denied to runlink[bot].', 'write permission for contents'],
  ])('to push %j is named (peter-evans/create-pull-request#1713)', (said, hint) => {
    expect(pushHint(`git push failed: ! [remote rejected] topic -> topic (${said})`)).toContain(
      hint,
    );
  });
});
