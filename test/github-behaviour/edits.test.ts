import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { commentEvent, startWorld } from '../support/action-world.ts';
import {
  BOT,
  commentOf,
  freshId,
  from,
  issueOf,
  keepWorking,
  pullOf,
  soon,
  startAppWorld,
  type AppWorld,
  type Place,
  type Sender,
} from '../support/app-world.ts';

const CONFIG = 'on-edit: new-commands';
const changed = (before: string): object => ({ changes: { body: { from: before } } });

let world: AppWorld;
beforeAll(async () => {
  world = await startAppWorld();
  world.service.play = keepWorking;
});
afterAll(() => world.close());

interface Edit {
  before: string;
  after: string;
  by?: Sender;
  author?: Sender;
}

/** Somebody edits a comment that alice wrote; answers what became of the delivery. */
async function edit(place: Place, id: number, { before, after, by, author }: Edit) {
  const guid = `edit-${freshId()}`;
  const comment = commentOf(place, after, author ?? { login: 'alice' }, id);
  const payload = {
    ...from(place, 'edited', by),
    issue: issueOf(place),
    comment,
    ...changed(before),
  };
  const taken = await world.send('issue_comment', payload, guid);
  return taken === 'stored' ? world.reasonOf({ guid }) : taken;
}

describe('an edited comment, where on-edit is new-commands', () => {
  it('starts what its author added to it, once (docs: webhooks, issue_comment)', async () => {
    const place = world.place(CONFIG);
    const id = freshId();
    const talk = { before: 'It fails.', after: 'It fails.\n\n/agent fix it' };
    expect(await edit(place, id, talk)).toBe('started');
    expect(await edit(place, id, talk)).toBe('duplicate_request');
    const run = await world.runOf(place);
    expect(run.prompt).toMatch(/^fix it\n/);
    expect(run.metadata['runlink.event']).toBe('issue_comment.edited');
    await vi.waitFor(() => expect(world.reactionsOn(id)).toEqual(['eyes']), soon);
  });

  it.each([
    ['the same in other words', '/agent fix teh test', '/agent fix the test'],
    ['the same with more behind it', '/agent fix it', '/agent fix it\n\nPlease.'],
    ['one command less', '/agent fix it\n/agent status', '/agent status'],
    ['another order', '/agent status\n/agent fix it', '/agent fix it\n/agent status'],
    ['one that stood there, and a quoted one', '/agent fix it', '> /agent new x\n\n/agent fix it'],
  ])('that has %s starts nothing, and changes no run (threats.md G3)', async (_, before, after) => {
    const place = world.place(CONFIG);
    const said = await world.say(place, before);
    await world.reasonOf(said);
    const run = await world.runOf(place);
    expect(await edit(place, said.id, { before, after })).toBe('not_created');
    expect(run.followups).toEqual([]);
    expect(world.runsOf(place)).toHaveLength(1);
  });

  it('that could not be read before, or has one more command, is read anew (threats.md G3)', async () => {
    const place = world.place(CONFIG);
    const said = await world.say(place, '/agent statsu');
    expect(await world.reasonOf(said)).toBe('unknown_command');
    const second = { before: '/agent statsu', after: '/agent fix it' };
    expect(await edit(place, said.id, second)).toBe('started');
    const third = { before: '/agent fix it', after: '/agent fix it\n/agent and test it' };
    expect(await edit(place, said.id, third)).toBe('followed_up');
    expect((await world.runOf(place)).followups[0]).toMatch(/^and test it\n/);
  });

  it.each([
    ['somebody else', { login: 'bob' }, undefined, 'not_the_authors'],
    ['a bot', { login: 'renovate[bot]', type: 'Bot' }, undefined, 'not_created'],
    ['ourselves', { login: BOT, type: 'Bot' }, { login: BOT, type: 'Bot' }, 'not_created'],
    ['an outsider', { login: 'mallory' }, { login: 'mallory' }, 'actor_below_bar'],
  ])('by %s starts nothing (threats.md G3)', async (_, by, author, reason) => {
    world.github.people['bob'] = { permission: 'write', role_name: 'write' };
    const place = world.place(CONFIG);
    const how = { before: 'x', after: '/agent fix it', by, ...(author && { author }) };
    expect(await edit(place, freshId(), how)).toBe(reason);
    expect(world.runsOf(place)).toEqual([]);
  });

  it('counts for issues, pull requests and reviews as well, and nowhere else (docs: webhooks, edited)', async () => {
    const text = { body: '/agent fix it', user: { login: 'alice' } };
    const sha = 'e'.repeat(40);
    const send = async (name: string, place: Place, more: object): Promise<string> => {
      const guid = `edit-${freshId()}`;
      const pull = world.github.pulls.find(({ number }) => number === place.number);
      if (!pull)
        world.github.addPull({
          number: place.number,
          head: { ref: 'topic', sha, repo: { full_name: place.repository } },
          base: { ref: 'main', repo: { full_name: place.repository } },
        });
      const payload = { ...from(place, 'edited'), ...changed('It fails.'), ...more };
      const taken = await world.send(name, payload, guid);
      return taken === 'stored' ? world.reasonOf({ guid }) : taken;
    };
    const at = (): Place => world.place(CONFIG);
    let place = at();
    expect(await send('issues', place, { issue: issueOf(place, text) })).toBe('started');
    place = at();
    expect(await send('pull_request', place, { pull_request: pullOf(place, sha, text) })).toBe(
      'started',
    );
    place = at();
    const review = {
      ...commentOf(place, text.body, { login: 'alice' }, freshId()),
      submitted_at: '',
    };
    expect(
      await send('pull_request_review', place, { pull_request: pullOf(place, sha), review }),
    ).toBe('started');
    place = at();
    const titled = { issue: issueOf(place, text), changes: { title: { from: 'x' } } };
    expect(await send('issues', place, titled)).toBe('not_created');
    const plain = world.place();
    expect(await send('issues', plain, { issue: issueOf(plain, text) })).toBe('not_created');
    expect(world.runsOf(plain)).toEqual([]);
  });

  it('starts what was added in the Action too, with on-edit (docs: events-that-trigger-workflows)', async () => {
    const { run, service, close } = await startWorld();
    onTestFinished(close);
    const made = commentEvent('/agent fix it', { action: 'edited' });
    const event = { ...made, payload: { ...(made.payload as object), ...changed('It fails.') } };
    const inputs = { wait: 'false' };
    expect((await run(event, { inputs })).outputs['reason-code']).toBe('not_created');
    const step = await run(event, { inputs: { ...inputs, 'on-edit': 'new-commands' } });
    expect(step.outputs['reason-code']).toBe('started');
    expect(service.runs.map(({ metadata }) => metadata['runlink.request'])).toEqual([
      expect.stringMatching(/^comment:IC_1:edit-[0-9a-f]{16}:1$/),
    ]);
  });
});
