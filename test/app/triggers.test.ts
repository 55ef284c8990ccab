import { describe, expect, it, vi } from 'vitest';
import {
  BOT,
  freshId,
  from,
  issueOf,
  pullOf,
  worldOfFile,
  soon,
  type Place,
  type Sender,
} from '../support/app-world.ts';

const world = await worldOfFile();

const SHA = 'd'.repeat(40);
const CONFIG = `
commands:
  look: { prompt: 'Look at {{url}}. {{instruction}}', description: Look at it }
  repair: { prompt: 'Repair what fails.' }
triggers:
  - { on: label, label: Agent, command: look }
  - { on: assignment, assignee: '@helper', command: look }
  - { on: opened, command: look }
  - { on: ready, command: look }
  - { on: synchronized, command: look }
  - { on: failing-checks, app: github-actions, command: repair }
`;

const pullEvent = (place: Place, action: string, more: object = {}, by?: Sender) =>
  [
    'pull_request',
    { ...from(place, action, by), pull_request: pullOf(place, SHA), ...more },
  ] as const;
const issueEvent = (place: Place, action: string, more: object, by?: Sender) =>
  ['issues', { ...from(place, action, by), issue: issueOf(place), ...more }] as const;

function suiteEvent(place: Place, suite: object, by?: Sender) {
  addPull(place);
  const check_suite = {
    id: freshId(),
    conclusion: 'failure',
    head_sha: SHA,
    head_branch: 'topic',
    pull_requests: [{ number: place.number }],
    app: { slug: 'github-actions', name: 'GitHub Actions' },
    ...suite,
  };
  return ['check_suite', { ...from(place, 'completed', by), check_suite }] as const;
}

function addPull(place: Place): void {
  const repo = { full_name: place.repository };
  const html_url = `https://github.example/${place.repository}/pull/${place.number}`;
  const head = { ref: 'topic', sha: SHA, repo };
  const base = { ref: 'main', repo };
  // Whoever opened it may have deleted their account.
  world.github.addPull({ number: place.number, user: null, html_url, head, base });
}

type Event = readonly [name: string, payload: object];

async function send([name, payload]: Event): Promise<string> {
  const guid = `trigger-${freshId()}`;
  const taken = await world.send(name, payload, guid);
  return taken === 'stored' ? world.reasonOf({ guid }) : taken;
}

describe.concurrent('a trigger of the configuration', () => {
  const events: [string, (place: Place) => Event, string][] = [
    ['a label', (place) => issueEvent(place, 'labeled', { label: { name: 'agent' } }), 'Look at'],
    [
      'a label on a pull request',
      (place) => pullEvent(place, 'labeled', { label: { name: 'agent' } }),
      'Look at',
    ],
    [
      'an assignment',
      (place) => issueEvent(place, 'assigned', { assignee: { login: 'Helper' } }),
      'Look at',
    ],
    ['a pull request opened', (place) => pullEvent(place, 'opened'), 'Look at'],
    ['a pull request made ready', (place) => pullEvent(place, 'ready_for_review'), 'Look at'],
    ['a push to a pull request', (place) => pullEvent(place, 'synchronize'), 'Look at'],
    ['a failing check suite', (place) => suiteEvent(place, {}), 'Repair what fails.'],
  ];

  it.each(events)('starts its command once on %s', async (_, event, prompt) => {
    const place = world.place(CONFIG);
    const twice = event(place);
    expect(await send(twice)).toBe('started');
    expect(await send(twice)).toBe('duplicate_request');
    const run = await world.runOf(place);
    expect(run.prompt).toContain(prompt);
    expect(run.prompt.split(prompt)).toHaveLength(2);
    expect(run.metadata['runlink.actor']).toBe('alice');
    await vi.waitFor(() => expect(world.bodiesOn(place)).toHaveLength(1), soon);
  });

  const others: [string, (place: Place) => Event, string][] = [
    [
      'another label',
      (place) => issueEvent(place, 'labeled', { label: { name: 'bug' } }),
      'not_a_command',
    ],
    [
      'another assignee',
      (place) => issueEvent(place, 'assigned', { assignee: { login: 'bob' } }),
      'not_a_command',
    ],
    [
      'a label taken away',
      (place) => issueEvent(place, 'unlabeled', { label: { name: 'agent' } }),
      'unsupported_event',
    ],
    ['an issue opened', (place) => issueEvent(place, 'opened', {}), 'not_a_command'],
    ['a pull request reopened', (place) => pullEvent(place, 'reopened'), 'not_a_command'],
    [
      'a passing suite',
      (place) => suiteEvent(place, { conclusion: 'success' }),
      'checks_not_failing',
    ],
    [
      'a suite of another App',
      (place) => suiteEvent(place, { app: { slug: 'other', name: 'github-actions' } }),
      'not_a_command',
    ],
    [
      'a suite of a fork or branch',
      (place) => suiteEvent(place, { pull_requests: [] }),
      'not_a_command',
    ],
    [
      'our own suite, which a failing run fails',
      (place) => suiteEvent(place, { app: { slug: 'runlink', name: 'x' } }),
      'own_check',
    ],
    [
      'a bot',
      (place) => pullEvent(place, 'opened', {}, { login: 'dependabot[bot]', type: 'Bot' }),
      'bot',
    ],
    [
      'a push of ours',
      (place) => pullEvent(place, 'synchronize', {}, { login: BOT, type: 'Bot' }),
      'own_comment',
    ],
  ];

  it.each(others)('starts nothing on %s, and says nothing', async (_, event, reason) => {
    const place = world.place(CONFIG);
    expect(await send(event(place))).toBe(reason);
    expect([world.runsOf(place), world.bodiesOn(place)]).toEqual([[], []]);
  });

  it('is heard each time a label is added, and once each', async () => {
    const place = world.place(CONFIG);
    const added = (updated_at: string): Event => {
      const issue = issueOf(place, { updated_at });
      return issueEvent(place, 'labeled', { label: { name: 'Agent' }, issue });
    };
    const [first, second] = [added('2026-01-01T00:00:00Z'), added('2026-01-01T00:01:00Z')];
    expect([await send(first), await send(second), await send(second)]).toEqual([
      'started',
      'followed_up',
      'duplicate_request',
    ]);
    expect((await world.runOf(place)).followups).toHaveLength(1);
  });

  it('is gated on who caused it, and says nothing to who asked for nothing (threats.md G1)', async () => {
    const place = world.place(CONFIG);
    expect(await send(pullEvent(place, 'opened', {}, { login: 'mallory' }))).toBe(
      'actor_below_bar',
    );
    const wished = await world.database.pool.query('select from app.posts where repository = $1', [
      place.repository,
    ]);
    expect([wished.rowCount, world.runsOf(place)]).toEqual([0, []]);
  });

  it('while a run works on the thread tells that run its whole text', async () => {
    const place = world.place(CONFIG);
    await send(pullEvent(place, 'opened'));
    const run = await world.runOf(place);
    expect(await send(suiteEvent(place, {}))).toBe('followed_up');
    expect(run.followups[0]).toMatch(/^Repair what fails\.\n\n[\s\S]*GitHub Actions: failure/);
  });

  it('does not wait where the text itself holds a command', async () => {
    const place = world.place(CONFIG);
    const event = pullEvent(place, 'opened', {
      pull_request: pullOf(place, SHA, { body: 'Why.\n\n/agent write its tests' }),
    });
    expect(await send(event)).toBe('started');
    expect((await world.runOf(place)).title).toBe('write its tests');
  });
});
