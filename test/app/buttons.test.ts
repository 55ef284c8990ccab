import { describe, expect, it, vi } from 'vitest';
import { freshId, from, pullOf, soon, worldOfFile, type Place } from '../support/app-world.ts';
import { end, type FakeRun } from '../support/fake-service.ts';
import { askOnPull, checksOf, newSha } from '../support/pull-scene.ts';

const world = await worldOfFile();

describe.concurrent('a button', () => {
  async function completed() {
    const scene = await askOnPull(world);
    end(world.service, scene.run, 'FAILED');
    await vi.waitFor(
      () => expect(checksOf(world, scene.run)[0]?.['status']).toBe('completed'),
      soon,
    );
    return scene;
  }

  async function press(place: Place, run: FakeRun, action: string, more: object, login = 'alice') {
    const guid = `press-${freshId()}`;
    const check_run = { id: 1, name: 'Runlink', head_sha: newSha(), external_id: run.run_id };
    await world.send(
      'check_run',
      {
        ...from(place, action, { login }),
        check_run: { ...check_run, pull_requests: [] },
        ...more,
      },
      guid,
    );
    return world.reasonOf({ guid });
  }
  const button = (identifier: string) => ({ requested_action: { identifier } });

  it('Retry, and Re-run of the check, start the same once more on the same commit', async () => {
    const { place, run, sha } = await completed();
    expect(await press(place, run, 'requested_action', button('retry'))).toBe('started');
    expect(await press(place, run, 'rerequested', {})).toBe('started');
    const runs = world.runsOf(place);
    expect(runs.map(({ prompt }) => prompt)).toEqual([run.prompt, run.prompt, run.prompt]);
    expect(runs.map(({ metadata }) => metadata['runlink.sha'])).toEqual([sha, sha, sha]);
  });

  it('Re-run that is refused leaves the check as it ended, which GitHub had reset (docs: rest/checks/runs)', async () => {
    const { place, run } = await completed();
    const [check] = checksOf(world, run);
    Object.assign(check ?? {}, { status: 'queued', conclusion: null });
    expect(await press(place, run, 'rerequested', {}, 'mallory')).toBe('actor_below_bar');
    await vi.waitFor(
      () =>
        expect(checksOf(world, run)).toMatchObject([
          { status: 'completed', conclusion: 'failure' },
        ]),
      soon,
    );
  });

  it('Re-run of the whole suite retries the newest run of its commit', async () => {
    const { place, sha } = await completed();
    const guid = `suite-${freshId()}`;
    const check_suite = { id: 5, head_sha: sha, pull_requests: [], app: { slug: 'runlink' } };
    await world.send('check_suite', { ...from(place, 'rerequested'), check_suite }, guid);
    expect(await world.reasonOf({ guid })).toBe('started');
    expect(world.runsOf(place)).toHaveLength(2);
  });

  it('Follow up lets the run go on; others, on other runs or by strangers, do nothing', async () => {
    const { place, run } = await completed();
    expect(await press(place, run, 'requested_action', button('nonsense'))).toBe('unknown_command');
    const stranger = await press(place, run, 'requested_action', button('follow_up'), 'mallory');
    expect(stranger).toBe('actor_below_bar');
    const nobody = { ...run, run_id: 'not-ours' };
    expect(await press(place, nobody, 'requested_action', button('retry'))).toBe('no_run');
    expect(run.followups).toEqual([]);
    expect(await press(place, run, 'requested_action', button('follow_up'))).toBe('followed_up');
    expect(run.followups).toEqual([expect.stringContaining('Go on where you left off')]);
    expect(await press(place, run, 'requested_action', button('retry'))).toBe('busy');
    expect(world.runsOf(place)).toHaveLength(1);
  });
});

describe.concurrent('a new head', () => {
  it('takes the check of a working run with it; none stays open behind', async () => {
    const { place, run, sha } = await askOnPull(world);
    await vi.waitFor(
      () => expect(checksOf(world, run)).toMatchObject([{ status: 'in_progress' }]),
      soon,
    );
    const next = newSha();
    const guid = `push-${freshId()}`;
    const payload = { ...from(place, 'synchronize'), pull_request: pullOf(place, next) };
    await world.send('pull_request', payload, guid);
    await world.reasonOf({ guid });
    await vi.waitFor(
      () =>
        expect(checksOf(world, run)).toMatchObject([
          { head_sha: sha, status: 'completed', conclusion: 'neutral' },
          { head_sha: next, status: 'in_progress' },
        ]),
      soon,
    );
    end(world.service, run, 'FAILED');
    await vi.waitFor(
      () =>
        expect(checksOf(world, run)).toMatchObject([
          { head_sha: sha, conclusion: 'neutral' },
          { head_sha: next, conclusion: 'failure' },
        ]),
      soon,
    );
  });
});
