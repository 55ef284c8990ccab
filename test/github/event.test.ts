import { describe, expect, it } from 'vitest';
import { environmentNamed, environmentOf } from '../../src/commands/environment.ts';
import type { GithubEvent } from '../../src/github/read/event.ts';
import { planCommand, WHEN_BUSY } from '../../src/github/decide/plan.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import {
  requestId,
  requestMetadata,
  runTitle,
  type Origin,
} from '../../src/github/decide/request.ts';
import { findTrigger } from '../../src/github/decide/trigger.ts';
import { finalMessage } from '../../src/github/render/final-message.ts';
import { metadata } from '../../src/contract/primitives.ts';
import { commentEvent, issue, repository } from '../support/action-world.ts';
import { webhookExamples } from '../support/webhook-examples.ts';

const all = webhookExamples.flatMap(({ name, examples }) =>
  examples.map((payload) => ({ name, payload })),
);

function read(name: string, payload: unknown): GithubEvent {
  const reading = readEvent(name, payload);
  if ('ignored' in reading) throw new Error(reading.ignored);
  return reading.event;
}

describe('every payload that GitHub documents', () => {
  it('is read, or ignored for want of a repository, and never throws', () => {
    expect(all.length).toBeGreaterThan(300);
    const outcomes = all.map(({ name, payload }) => {
      const reading = readEvent(name, payload);
      if ('ignored' in reading) return reading.ignored;
      const { owner, name: repo } = reading.event.repository;
      return `${owner}/${repo}`;
    });
    const expected = all.map(({ payload }) => {
      const { repository: named } = payload as { repository?: { full_name: string } };
      return named?.full_name ?? 'unsupported_event';
    });
    expect(outcomes).toEqual(expected);
  });

  it('without the phrase triggers nothing', async () => {
    for (const { name, payload } of all) {
      const reading = readEvent(name, payload);
      if ('ignored' in reading) continue;
      const found = await findTrigger(reading.event, { phrase: '/agent', prompt: false });
      expect([name, 'trigger' in found]).toEqual([name, false]);
    }
  });

  it('may hold nothing where the schemas allow it (octokit/openapi-webhooks: workflow-run-completed, project-deleted)', () => {
    const run = { id: 7, head_sha: 'aa', pull_requests: [null, { number: 12 }] };
    const { checks } = read('workflow_run', { repository, workflow_run: run });
    expect(checks?.pullRequests).toEqual([12]);
    const surroundings = { owner: 'acme', name: 'widgets', url: '', defaultBranch: 'main' };
    const reading = readEvent('project', { repository: null }, { repository: surroundings });
    expect(reading).toMatchObject({ event: { repository: surroundings } });
  });

  it.each([null, 'text', 42, [], { repository: 7 }, { comment: { id: {} }, repository }])(
    'and %j are refused or ignored',
    (payload) => {
      expect('ignored' in readEvent('issue_comment', payload)).toBe(true);
    },
  );
});

describe('a request’s identity', () => {
  const comment = read('issue_comment', commentEvent('/agent x').payload);
  const workflow = { runId: '1', attempt: 1, job: 'j', step: 's', key: 'k' };
  const labeled = read('issues', {
    action: 'labeled',
    repository,
    issue: issue(),
    label: { name: 'agent' },
    sender: { login: 'a' },
  });
  const again = read('issues', {
    action: 'labeled',
    repository,
    issue: { ...issue(), updated_at: 'later' },
    label: { name: 'agent' },
  });
  const push = read('push', { ref: 'refs/heads/main', after: 'abc', repository });
  const cases: [string, Origin][] = [
    ['comment:IC_1:2', { event: comment, trigger: 'command', index: 2, workflow }],
    [
      'label:I_1:agent@2026-11-21T08:00:00Z',
      { event: labeled, trigger: 'label', index: 1, workflow },
    ],
    ['label:I_1:agent@later', { event: again, trigger: 'label', index: 1, workflow }],
    ['workflow:1:j:s:k', { event: push, trigger: 'prompt', index: 1, workflow }],
    ['workflow:1:j:s:k', { event: comment, trigger: 'prompt', index: 1, workflow }],
    ['push:acme/widgets:abc', { event: push, trigger: 'event', index: 1 }],
  ];

  it.each(cases)('is %s', (expected, origin) => {
    expect(requestId(origin)).toBe(expected);
  });

  it('fits into metadata however long its parts are, and stays unique', () => {
    const long = (end: string): Origin => ({
      event: push,
      trigger: 'prompt',
      index: 1,
      workflow: { ...workflow, job: 'ö'.repeat(500) + end },
    });
    const [one, other] = [requestMetadata(long('a')), requestMetadata(long('b'))];
    expect(metadata.safeParse(one).success).toBe(true);
    expect(one['runlink.request']).not.toBe(other['runlink.request']);
  });

  it('cannot be replaced by a person’s own pairs', () => {
    const pairs = requestMetadata(
      { event: comment, trigger: 'command', index: 1 },
      { 'runlink.actor': 'eve', team: 'x' },
    );
    expect(pairs).toMatchObject({
      'runlink.actor': 'alice',
      'runlink.thread': 'acme/widgets#1',
      team: 'x',
    });
  });

  it('has a title people recognise', () => {
    expect(runTitle('  fix the\tlogin test \nnow', comment)).toBe('fix the login test');
    expect(runTitle('', comment)).toBe('The login test fails');
    expect(runTitle('x'.repeat(500), comment)).toHaveLength(120);
  });
});

describe('the environment of a repository', () => {
  const listed = (uid: string, ...repos: string[]): { uid: string; config: object } => ({
    uid,
    config: {
      name: `env ${uid}`,
      github_repos: repos.map((full) => ({
        owner: full.split('/')[0] ?? '',
        repo: full.split('/')[1] ?? '',
      })),
    },
  });
  const widgets = { owner: 'Acme', name: 'Widgets' };

  it('is the only one that lists it', () => {
    expect(environmentOf([listed('a', 'acme/widgets'), listed('b', 'acme/other')], widgets)).toBe(
      'a',
    );
    expect(
      environmentOf([listed('a', 'acme/widgets'), listed('b', 'acme/widgets')], widgets),
    ).toBeUndefined();
    expect(environmentOf([{ uid: 'c', config: null }], widgets)).toBeUndefined();
  });

  it('can be named', () => {
    const environments = [listed('a'), listed('b')];
    expect(environmentNamed(environments, 'ENV B')).toBe('b');
    expect(environmentNamed(environments, 'a')).toBe('a');
    expect(environmentNamed(environments, 'c')).toBeUndefined();
  });
});

describe('what a command comes to', () => {
  const plan = (
    verb: Parameters<typeof planCommand>[0]['verb'],
    state?: string,
    whenBusy: (typeof WHEN_BUSY)[number] = 'follow-up',
  ): string => {
    const made = planCommand(
      { verb, prompt: 'words', options: {} },
      state === undefined ? undefined : { runId: 'r', state },
      whenBusy,
    );
    return 'reason' in made ? `${made.do} ${made.reason}` : made.do;
  };

  it.each([
    ['run', undefined, 'create'],
    ['run', 'SUCCEEDED', 'follow_up'],
    ['run', 'INPROGRESS', 'follow_up'],
    ['custom', 'BLOCKED', 'create'],
    ['custom', 'INPROGRESS', 'follow_up'],
    ['new', 'INPROGRESS', 'create'],
    ['follow', undefined, 'refuse no_run'],
    ['follow', 'QUEUED', 'follow_up'],
    ['status', undefined, 'refuse no_run'],
    ['status', 'FAILED', 'status'],
    ['cancel', 'INPROGRESS', 'cancel'],
    ['cancel', 'CLAIMED', 'cancel'],
    ['cancel', 'FAILED', 'refuse run_ended'],
    ['retry', 'FAILED', 'retry'],
    ['retry', 'INPROGRESS', 'refuse busy'],
    ['help', undefined, 'help'],
  ] as const)('%s with a run that is %s: %s', (verb, state, expected) => {
    expect(plan(verb, state)).toBe(expected);
  });

  it('depends on when-busy only while a run works', () => {
    expect(plan('run', 'INPROGRESS', 'new')).toBe('create');
    expect(plan('run', 'INPROGRESS', 'skip')).toBe('refuse busy');
    expect(plan('run', 'SUCCEEDED', 'skip')).toBe('follow_up');
  });
});

describe('the agent’s last words', () => {
  const said = (role: 'assistant' | 'user', text: string): object => ({
    role,
    content: [{ type: 'text', text }],
  });

  it('are the last text it wrote, nested steps included', () => {
    const inner = { id: 'b', messages: [said('assistant', 'inner')], steps: [] };
    const steps = [
      { id: 'a', messages: [said('assistant', 'early')], steps: [] },
      { id: 'c', messages: [said('user', 'thanks')], steps: [inner] },
    ];
    expect(finalMessage({ steps } as unknown as Parameters<typeof finalMessage>[0])).toBe('inner');
    expect(finalMessage({ steps: [] })).toBeUndefined();
  });
});
