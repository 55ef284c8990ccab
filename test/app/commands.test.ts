import { describe, expect, it, vi } from 'vitest';
import { soon, worldOfFile, type Place } from '../support/app-world.ts';
import { end, type FakeRun } from '../support/fake-service.ts';

const world = await worldOfFile();

/** A thread with a run that works. */
async function working(config?: string): Promise<{ place: Place; run: FakeRun }> {
  const place = world.place(config);
  await world.reasonOf(await world.say(place, '/agent fix it'));
  return { place, run: await world.runOf(place) };
}

/** A thread with a run that has ended. */
async function ended(config?: string): Promise<{ place: Place; run: FakeRun }> {
  const { place, run } = await working(config);
  end(world.service, run, 'SUCCEEDED');
  await shows(place, '`SUCCEEDED`');
  return { place, run };
}

function shows(place: Place, text: string): Promise<void> {
  return vi.waitFor(() => expect(world.bodiesOn(place).join('\n---\n')).toContain(text), soon);
}

describe.concurrent('a command', () => {
  it('among several in one comment is answered like each of the others', async () => {
    const place = world.place();
    const text = 'Thanks!\n\n/agent fix it\n\n/agent help\n\n/agent statsu';
    expect(await world.reasonOf(await world.say(place, text))).toBe(
      'started,reported_help,unknown_command',
    );
    await shows(place, '`INPROGRESS`');
    await shows(place, 'Begin a line of a comment with `/agent`');
    await shows(place, 'Did you mean `/agent status`?');
    await world.runOf(place);
  });

  it.each(['/agent and the docs', '/agent follow and the docs'])(
    '%j tells a working run more',
    async (text) => {
      const { place, run } = await working();
      const said = await world.say(place, text);
      expect(await world.reasonOf(said)).toBe('followed_up');
      expect(run.followups).toEqual([expect.stringMatching(/^and the docs\n\nFrom alice, http/)]);
      await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['eyes']), soon);
      end(world.service, run, 'FAILED');
      await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['-1']), soon);
      expect(world.bodiesOn(place)).toHaveLength(1);
    },
  );

  it.each(['/agent and the docs', '/agent follow and the docs'])(
    '%j lets a run that has ended go on',
    async (text) => {
      const { place, run } = await ended();
      expect(await world.reasonOf(await world.say(place, text))).toBe('followed_up');
      expect(run.followups).toEqual([expect.stringMatching(/^and the docs\n\nFrom alice, http/)]);
      await shows(place, '`INPROGRESS`');
      expect(world.bodiesOn(place)).toHaveLength(1);
    },
  );

  it('new starts a run beside the one that works', async () => {
    const { place } = await working();
    const said = await world.say(place, '/agent new write a changelog');
    expect(await world.reasonOf(said)).toBe('started');
    expect(world.runsOf(place).map((run) => run.title)).toEqual(['fix it', 'write a changelog']);
    await vi.waitFor(() => expect(world.bodiesOn(place)).toHaveLength(2), soon);
  });

  it('status says how the run stands now, as a reply of its own', async () => {
    const { place, run } = await working();
    Object.assign(run, { status_message: { message: 'Reading the tests' } });
    expect(await world.reasonOf(await world.say(place, '/agent status'))).toBe('reported_status');
    await vi.waitFor(() => expect(world.bodiesOn(place)).toHaveLength(2), soon);
    expect(world.bodiesOn(place)[1]).toMatch(/`INPROGRESS`[\s\S]*Reading the tests/);
  });

  it('retry runs the same prompt again once the run has ended', async () => {
    const { place, run } = await ended();
    const said = await world.say(place, '/agent retry');
    expect(await world.reasonOf(said)).toBe('started');
    expect(world.runsOf(place).map(({ prompt }) => prompt)).toEqual([run.prompt, run.prompt]);
  });

  it('retry is not stacked on a run that works', async () => {
    const { place } = await working();
    expect(await world.reasonOf(await world.say(place, '/agent retry'))).toBe('busy');
    await shows(place, 'a run is already working on this thread');
    await world.runOf(place);
  });

  it('cancel cancels, and says when there is nothing to cancel', async () => {
    const { place, run } = await working();
    const said = await world.say(place, '/agent cancel');
    expect(await world.reasonOf(said)).toBe('cancel_requested');
    expect(run.state).toBe('CANCELLED');
    await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['rocket']), soon);
    await shows(place, '`CANCELLED`');
    expect(await world.reasonOf(await world.say(place, '/agent cancel'))).toBe('run_ended');
    await shows(place, 'the run has already ended');
  });

  it('cancel waits for a run that is just starting, and says what cannot be cancelled', async () => {
    const first = await working();
    world.service.change(first.run, { state: 'PENDING' });
    const said = await world.say(first.place, '/agent cancel');
    const asked = `/${first.run.run_id}/cancel`;
    await vi.waitFor(
      () => expect(world.service.seen.filter(({ path }) => path.endsWith(asked))).toHaveLength(1),
      soon,
    );
    world.service.change(first.run, { state: 'INPROGRESS' });
    expect(await world.reasonOf(said)).toBe('cancel_requested');
    const second = await working();
    Object.assign(second.run, { uncancellable: true });
    const other = await world.say(second.place, '/agent cancel');
    expect(await world.reasonOf(other)).toBe('not_cancellable');
    await shows(second.place, 'the service cannot cancel this kind of run');
  });

  it.each(['status', 'cancel', 'retry', 'follow x'])(
    '%s says so where there is no run',
    async (verb) => {
      const place = world.place();
      expect(await world.reasonOf(await world.say(place, `/agent ${verb}`))).toBe('no_run');
      await shows(place, 'there is no run on this thread');
    },
  );

  it.each([
    ['/agent statsu', 'Did you mean `/agent status`?'],
    ['/agent chnagelog', 'Did you mean `/agent changelog`?'],
    ['/agent --modle x fix it', 'Did you mean `--model`?'],
    ['/agent fix it --model', 'lacks its value'],
    ['/agent', 'Say what to do'],
  ])('%j is met with one line on what was meant', async (text, line) => {
    const place = world.place('commands: { changelog: { prompt: Write it } }');
    const said = await world.say(place, text);
    await world.reasonOf(said);
    await shows(place, line);
    expect(world.bodiesOn(place)[0]?.split('\n')).toHaveLength(2);
    await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['confused']), soon);
    expect(world.runsOf(place)).toEqual([]);
  });

  it('that the service refuses is answered with its reason', async () => {
    const place = world.place();
    world.service.faults.push({
      matches: ({ body }) => JSON.stringify(body ?? '').includes(place.repository),
      fault: { kind: 'status', status: 400 },
      times: 1,
    });
    const said = await world.say(place, '/agent fix it');
    expect(await world.reasonOf(said)).toBe('service_refused');
    await shows(place, 'This could not be done: the service refused the request');
    await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['confused']), soon);
  });
});

describe.concurrent('somebody who may not', () => {
  const mallory = { login: 'mallory' };

  it('is refused each real command, and told why once (threats.md G1, G13)', async () => {
    const { place, run } = await working();
    const texts = ['fix it', 'new x', 'cancel', 'follow x', 'retry', 'status', 'help'];
    for (const text of texts) {
      const said = await world.say(place, `/agent ${text}`, mallory);
      expect(await world.reasonOf(said)).toBe('actor_below_bar');
      await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual(['-1']), soon);
    }
    expect(world.bodiesOn(place)).toHaveLength(2);
    expect(world.bodiesOn(place)[1]).toContain('needs `write` permission');
    expect([run.state, run.followups, world.runsOf(place).length]).toEqual(['INPROGRESS', [], 1]);
  });

  it('is met with silence where it is no command, whatever their association says', async () => {
    const place = world.place();
    const text = '/agent statsu';
    expect(await world.reasonOf(await world.say(place, text, mallory))).toBe('not_a_command');
    const nobody = { login: 'somebody-unknown' };
    expect(await world.reasonOf(await world.say(place, text, nobody))).toBe('not_a_command');
    expect(await world.reasonOf(await world.say(place, 'I like /agent x', mallory))).toBe(
      'not_a_command',
    );
    expect(world.bodiesOn(place)).toEqual([]);
  });
});

it('a command of an East Asian keyboard is let in at the door', async () => {
  const said = await world.say(world.place(), '／agent help');
  expect(await world.reasonOf(said)).toBe('reported_help');
});
