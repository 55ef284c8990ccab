import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { repository, startWorld, type Event } from '../support/action-world.ts';
import {
  BOT,
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

const SHA = 'd'.repeat(40);
const bot = { login: 'renovate[bot]', type: 'Bot' };
const RUNS_COMMIT = 'Fix it\n\nCo-authored-by: Alice <a@x.example>\nRun: https://runs.example/r-1';

function workflowRun(more: object): Event {
  const workflow_run = {
    id: 5,
    name: 'CI',
    event: 'push',
    conclusion: 'failure',
    head_sha: SHA,
    head_branch: 'topic',
    head_repository: { full_name: 'acme/widgets' },
    pull_requests: [],
    ...more,
  };
  return {
    eventName: 'workflow_run',
    payload: { action: 'completed', repository, sender: bot, workflow_run },
  };
}

const push = (more: object): Event => ({
  eventName: 'push',
  payload: { ref: 'refs/heads/main', after: SHA, repository, sender: bot, ...more },
});

const QUEUE_BRANCH = 'gh-readonly-queue/main/pr-1-0123456789abcdef';
const QUEUE = { login: 'github-merge-queue[bot]', type: 'Bot' };

describe('the Action with a prompt', () => {
  const group = { head_sha: SHA, head_ref: `refs/heads/${QUEUE_BRANCH}` };
  const started: [string, Event, string][] = [
    ['a bot’s push', push({}), 'push'],
    [
      'the merge queue',
      { eventName: 'merge_group', payload: { repository, sender: QUEUE, merge_group: group } },
      'yedeya-labs/kanon#79',
    ],
    [
      'a dispatch by the workflow’s own token',
      {
        eventName: 'repository_dispatch',
        payload: { repository, sender: { login: 'github-actions[bot]', type: 'Bot' } },
      },
      'repository_dispatch',
    ],
    ['a workflow run of this repository', workflowRun({}), 'workflow_run'],
    [
      'a merged run’s push by who merged it',
      push({ head_commit: { message: RUNS_COMMIT }, sender: { login: 'alice', type: 'User' } }),
      'push',
    ],
  ];
  it.each(started)('runs on %s (docs: events-that-trigger-workflows, %3$s)', async (_, event) => {
    const { run, service, github } = await world();
    const step = await run(event, { inputs: { prompt: 'Repair it.' } });
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(service.runs).toHaveLength(1);
    expect(github.seen.filter(({ path }) => path.endsWith('/permission'))).toEqual([]);
  });

  const skipped: [string, Event, string][] = [
    ['a pull request', workflowRun({ event: 'pull_request' }), 'bot'],
    ['a pull request’s target', workflowRun({ event: 'pull_request_target' }), 'bot'],
    ['a fork’s push', workflowRun({ head_repository: { full_name: 'm/widgets' } }), 'bot'],
    ['a run’s own commit', workflowRun({ head_commit: { message: RUNS_COMMIT } }), 'own_push'],
    ['a merge queue’s branch', workflowRun({ head_branch: QUEUE_BRANCH }), 'queue_branch'],
  ];
  it.each(skipped)(
    'does not run on a workflow run of %s (docs: workflow_run)',
    async (_, event, reason) => {
      const { run, service } = await world();
      const step = await run(event, { inputs: { prompt: 'Repair it.' } });
      expect(step.outputs['reason-code']).toBe(reason);
      expect(service.runs).toEqual([]);
    },
  );

  it('leaves alone what the merge queue pushes to its own branches (yedeya-labs/kanon#79)', async () => {
    const { run, service } = await world();
    const event = push({ ref: `refs/heads/${QUEUE_BRANCH}`, sender: QUEUE });
    const step = await run(event, { inputs: { prompt: 'Repair it.' } });
    expect([step.outputs['reason-code'], service.runs]).toEqual(['queue_branch', []]);
  });

  it.each([
    [BOT, 'Bot', 'refs/heads/topic'],
    [BOT, 'Bot', 'refs/heads/main'],
    ['owner-of-a-token', 'User', 'refs/heads/runlink/fix-it-0123456789ab'],
  ])(
    'never goes in circles: a run’s push by %s (%s) to %s starts none (docs: push)',
    async (login, type, ref) => {
      const { run, service } = await world();
      const event = push({ ref, sender: { login, type }, head_commit: { message: RUNS_COMMIT } });
      const step = await run(event, { inputs: { prompt: 'Repair it.' } });
      expect(step.exitCode).toBe(0);
      expect(step.outputs['reason-code']).toBe('own_push');
      expect(service.runs).toEqual([]);
    },
  );
});

async function world() {
  const started = await startWorld();
  onTestFinished(started.close);
  return started;
}

let app: AppWorld;
beforeAll(async () => {
  app = await startAppWorld();
  app.service.play = keepWorking;
});
afterAll(() => app.close());

const CONFIG = `
commands:
  repair: { prompt: 'Repair what fails.' }
  look: { prompt: 'Look at it.' }
triggers:
  - { on: failing-checks, command: repair }
  - { on: label, label: agent, command: look }
  - { on: opened, command: look }
`;

function suite(place: Place, more: object = {}, by?: Sender): object {
  const check_suite = {
    id: freshId(),
    conclusion: 'failure',
    head_sha: SHA,
    head_branch: 'topic',
    head_commit: { message: 'Change it' },
    pull_requests: [{ number: place.number, base: { repo: { id: 1 } } }],
    app: { slug: 'github-actions', name: 'GitHub Actions' },
    ...more,
  };
  const payload = from(place, 'completed', by) as { repository: object };
  return { ...payload, repository: { ...payload.repository, id: 1 }, check_suite };
}

async function send(name: string, payload: object): Promise<string> {
  const guid = `sender-${freshId()}`;
  const taken = await app.send(name, payload, guid);
  return taken === 'stored' ? app.reasonOf({ guid }) : taken;
}

function placeWithPull(): Place {
  const place = app.place(CONFIG);
  addPull(place);
  return place;
}

function addPull({ repository, number }: Place, { ref = 'topic', sha = SHA, state = 'open' } = {}) {
  const repo = { full_name: repository };
  const html_url = `https://github.example/${repository}/pull/${number}`;
  const head = { ref, sha, repo };
  app.github.addPull({ number, state, html_url, head, base: { ref: 'main', repo } });
}

describe('failing checks in the App', () => {
  it.each([
    [BOT, 'failure'],
    ['renovate[bot]', 'timed_out'],
  ])(
    'of what %s pushed are repaired when they end in %s (docs: rest/checks/suites)',
    async (login, conclusion) => {
      const place = placeWithPull();
      const payload = suite(place, { conclusion }, { login, type: 'Bot' });
      expect(await send('check_suite', payload)).toBe('started');
    },
  );

  it('of another repository’s pull request are ignored (docs: rest/checks/suites)', async () => {
    const place = placeWithPull();
    const pull_requests = [{ number: place.number, base: { repo: { id: 2 } } }];
    expect(await send('check_suite', suite(place, { pull_requests }))).toBe('not_a_command');
  });

  it('of a commit are repaired on each branch that an open pull request has it on (docs: rest/checks/suites)', async () => {
    const place = app.place(CONFIG);
    const pull_requests = [
      { state: 'closed' },
      { sha: 'e'.repeat(40) },
      { ref: 'topic' },
      { ref: 'topic' },
      { ref: 'other' },
    ].map((pull) => {
      const number = freshId();
      addPull({ ...place, number }, pull);
      return { number };
    });
    const guid = `sender-${freshId()}`;
    await app.send('check_suite', suite(place, { pull_requests }), guid);
    expect(await app.reasonOf({ guid })).toBe('started,started');
    const moved = pull_requests.slice(0, 2);
    const late = suite(place, { pull_requests: moved });
    expect(await send('check_suite', late)).toBe('not_a_command');
  });

  it('on a merge queue’s branch are nobody’s to repair (yedeya-labs/kanon#79)', async () => {
    const place = placeWithPull();
    const payload = suite(place, { head_branch: QUEUE_BRANCH }, QUEUE);
    expect(await send('check_suite', payload)).toBe('queue_branch');
  });

  it('after three repairs of its own work the agent rests until somebody asks (docs: rest/checks/suites)', async () => {
    const place = placeWithPull();
    const payload = (): object =>
      suite(place, { head_commit: { message: RUNS_COMMIT } }, { login: BOT, type: 'Bot' });
    const reasons: string[] = [];
    for (let round = 0; round < 5; round += 1) reasons.push(await send('check_suite', payload()));
    expect(reasons).toEqual([
      'started',
      'followed_up',
      'followed_up',
      'repairs_exhausted',
      'repairs_exhausted',
    ]);
    await app.reasonOf(await app.say(place, '/agent go on'));
    expect(await send('check_suite', payload())).toBe('followed_up');
  });
});

describe('what outsiders bring without a command', () => {
  const mallory = { login: 'mallory' };
  it('is met with silence: a template’s label, an opened pull request (docs: issue and pull request templates)', async () => {
    const place = app.place(CONFIG);
    const labelled = {
      ...from(place, 'labeled', mallory),
      issue: issueOf(place),
      label: { name: 'agent' },
    };
    expect(await send('issues', labelled)).toBe('actor_below_bar');
    const opened = { ...from(place, 'opened', mallory), pull_request: pullOf(place, SHA) };
    expect(await send('pull_request', opened)).toBe('actor_below_bar');
    // Answers keep their order: once this one stands, nothing was said before it.
    await app.say(place, '/agent help');
    await vi.waitFor(() => expect(app.bodiesOn(place)).toHaveLength(1), soon);
    expect(app.github.reactions.filter(({ on }) => on.endsWith(`/${place.number}`))).toEqual([]);
  });

  it('but who may label, and not start runs, is told (docs: repository roles)', async () => {
    app.github.people['tim'] = { permission: 'read', role_name: 'triage' };
    const place = app.place(CONFIG);
    const by = from(place, 'labeled', { login: 'tim' });
    expect(await send('issues', { ...by, issue: issueOf(place), label: { name: 'agent' } })).toBe(
      'actor_below_bar',
    );
    await vi.waitFor(() => expect(app.bodiesOn(place)).toHaveLength(1), soon);
  });
});
