import { describe, expect, it, onTestFinished } from 'vitest';
import { REASONS } from '../../src/github/decide/reason.ts';
import {
  alice,
  commentEvent,
  issue,
  onPullRequest,
  repository,
  startWorld,
  type ActionWorld,
} from '../support/action-world.ts';
import { webhookExamples } from '../support/webhook-examples.ts';

async function world(): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  return started;
}

const TRIGGERS = [
  'issue_comment',
  'pull_request_review_comment',
  'pull_request_review',
  'issues',
  'pull_request',
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'workflow_run',
  'merge_group',
  'check_suite',
];

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

/** One payload of GitHub's own for each action of each event that a workflow can have. */
const payloads = webhookExamples
  .filter(({ name }) => TRIGGERS.includes(name))
  .flatMap(({ name, examples }) => {
    const actions = new Map(examples.map((payload) => [payload['action'] ?? '', payload]));
    return [...actions].map(([action, payload]) => ({ name, action, payload }));
  });

describe('the built Action on GitHub’s own payloads', () => {
  it('knows enough of them', () => {
    expect(payloads.length).toBeGreaterThan(40);
  });

  it('without a command skips neutrally with a reason', async () => {
    const { service, github, run } = await world();
    const shown = isLong ? payloads : [...new Map(payloads.map((one) => [one.name, one])).values()];
    for (const { name, action, payload } of shown) {
      const step = await run({ eventName: name, payload });
      expect([name, action, step.stderr, step.exitCode]).toEqual([name, action, '', 0]);
      expect([name, action, step.outputs]).toMatchObject([
        name,
        action,
        { skipped: 'true', conclusion: 'skipped' },
      ]);
      expect(Object.keys(REASONS)).toContain(step.outputs['reason-code']);
    }
    expect(service.seen).toEqual([]);
    expect(github.seen).toEqual([]);
  });

  it('with a prompt runs on every kind of event', async () => {
    const { service, github, run } = await world();
    github.addPull({ number: 2 });
    github.people['Codertocat'] = { permission: 'admin', role_name: 'admin' };
    const byEvent = new Map(payloads.map((one) => [one.name, one]));
    for (const { name, payload } of [
      ...byEvent.values(),
      { name: 'schedule', payload: { schedule: '0 3 * * *' } },
    ]) {
      const before = service.runs.length;
      const { sender } = payload as { sender?: { login: string } };
      const inputs = {
        prompt: 'Look after this.',
        permission: 'none',
        'allowed-bots': sender?.login ?? '',
      };
      const step = await run(
        { eventName: name, payload },
        { inputs, env: { GITHUB_RUN_ID: name } },
      );
      expect([name, step.outputs['reason-code'], step.stderr]).toEqual([name, 'succeeded', '']);
      expect(service.runs.length).toBe(before + 1);
      expect(service.runs.at(-1)?.prompt).toContain('Look after this.');
    }
  });
});

describe('what triggers', () => {
  it('a label, and only that label', async () => {
    const { service, run } = await world();
    const labeled = (name: string): { eventName: string; payload: object } => ({
      eventName: 'issues',
      payload: { action: 'labeled', repository, issue: issue(), label: { name }, sender: alice },
    });
    const inputs = { 'label-trigger': 'agent', prompt: 'Fix this issue.' };
    const other = await run(labeled('bug'), { inputs });
    expect(other.outputs).toMatchObject({ skipped: 'true', 'reason-code': 'label_mismatch' });
    const step = await run(labeled('Agent'), { inputs });
    expect(step.outputs['reason-code']).toBe('succeeded');
    expect(service.runs).toHaveLength(1);
    expect(service.runs[0]?.metadata['runlink.request']).toBe(
      'label:I_1:Agent@2026-11-21T08:00:00Z',
    );
    expect(service.runs[0]?.prompt).toContain('It fails since Monday.');
  });

  it('an assignment, and only of that login', async () => {
    const { service, run } = await world();
    const assigned = (login: string): { eventName: string; payload: object } => ({
      eventName: 'issues',
      payload: {
        action: 'assigned',
        repository,
        issue: issue(),
        assignee: { login },
        sender: alice,
      },
    });
    const inputs = { 'assignee-trigger': '@runlink-bot', prompt: 'Fix this issue.' };
    expect((await run(assigned('bob'), { inputs })).outputs['reason-code']).toBe(
      'assignee_mismatch',
    );
    expect((await run(assigned('runlink-bot'), { inputs })).outputs['reason-code']).toBe(
      'succeeded',
    );
    expect(service.runs).toHaveLength(1);
  });

  it('a review comment is answered with the code it is about in the prompt', async () => {
    const { service, github, run } = await world();
    github.addPull({ number: 12 });
    github.reviewThreads.push({
      isResolved: false,
      path: 'src/login.js',
      line: 3,
      comments: { nodes: [{ author: { login: 'bob' }, body: 'Is this right?' }] },
    });
    const comment = {
      id: 77,
      node_id: 'PRRC_77',
      html_url: 'https://github.example/c/77',
      body: '/agent fix this line',
      user: alice,
      created_at: '2026-11-21T08:00:00Z',
      path: 'src/login.js',
      line: 3,
      diff_hunk: '@@ -1,3 +1,3 @@\n-a\n+b',
    };
    const { pull_request: _, ...pull } = onPullRequest(github) as { pull_request: object };
    const [head, base] = [
      { ref: 'topic', sha: 'a'.repeat(40), repo: { full_name: 'acme/widgets' } },
      { ref: 'main', sha: 'b'.repeat(40), repo: { full_name: 'acme/widgets' } },
    ];
    const step = await run({
      eventName: 'pull_request_review_comment',
      payload: {
        action: 'created',
        repository,
        comment,
        pull_request: { ...pull, user: alice, head, base },
        sender: alice,
      },
    });
    expect(step.outputs['reason-code']).toBe('succeeded');
    const prompt = service.runs[0]?.prompt ?? '';
    expect(prompt).toContain('src/login.js line 3');
    expect(prompt).toContain('+b');
    expect(prompt).toContain('Is this right?');
    expect(prompt).toContain(`Commit: ${'a'.repeat(40)}`);
    expect(service.runs[0]?.metadata['runlink.sha']).toBe('a'.repeat(40));
    expect(github.checks).toMatchObject([
      { status: 'completed', conclusion: 'success', head_sha: 'a'.repeat(40) },
    ]);
    expect(github.seen.length).toBeLessThanOrEqual(12 + 4);
  });

  it('a failed workflow run brings the last lines of its failing jobs', async () => {
    const { service, github, run } = await world();
    github.jobs.push({
      id: 5,
      name: 'unit',
      conclusion: 'failure',
      html_url: 'https://x/5',
      steps: [{ name: 'npm test', conclusion: 'failure' }],
    });
    github.log =
      '2026-11-21T08:00:00.1234567Z one\n2026-11-21T08:00:01.1234567Z AssertionError: 1 !== 2';
    const workflow_run = {
      id: 99,
      name: 'CI',
      conclusion: 'failure',
      html_url: 'https://x/99',
      head_sha: 'c'.repeat(40),
      head_branch: 'topic',
      run_attempt: 1,
      pull_requests: [],
    };
    const payload = { action: 'completed', repository, workflow_run, sender: alice };
    const step = await run(
      { eventName: 'workflow_run', payload },
      { inputs: { prompt: 'Repair the build.' } },
    );
    expect(step.outputs['reason-code']).toBe('succeeded');
    const prompt = service.runs[0]?.prompt ?? '';
    expect(prompt).toContain('unit: failure in npm test');
    expect(prompt).toContain('AssertionError: 1 !== 2');
    expect(prompt).not.toContain('2026-11-21T08:00:01.1234567Z');
    expect(prompt).toContain(`Commit: ${'c'.repeat(40)}`);
  });

  it('an edited comment never, whoever edits it (threats.md G3)', async () => {
    const { service, run } = await world();
    const step = await run(commentEvent('/agent fix it', { action: 'edited' }));
    expect(step.outputs).toMatchObject({ skipped: 'true', 'reason-code': 'not_created' });
    expect(service.seen).toEqual([]);
  });
});

describe('without what it needs', () => {
  it.each([
    ['base-url', 'base-url'],
    ['api-key', 'api-key'],
  ])('a missing %s is one line that names it, to those who may', async (name, named) => {
    const { service, github, run } = await world();
    const step = await run(commentEvent('/agent fix it'), { inputs: { [name]: '' } });
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({ 'reason-code': 'invalid_input', conclusion: 'failure' });
    const lines = step.stdout.split('\n').filter((line) => line.startsWith('::error::'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(named);
    expect(service.seen).toEqual([]);
    expect(github.seen.map(({ path }) => path)).toEqual([
      '/repos/acme/widgets/collaborators/alice/permission',
    ]);
  });

  it('takes address and key from the environment too', async () => {
    const { service, run } = await world();
    const env = { RUNLINK_BASE_URL: service.apiUrl, RUNLINK_API_KEY: 'test-key' };
    const step = await run(commentEvent('/agent fix it'), {
      inputs: { 'base-url': '', 'api-key': '' },
      env,
    });
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(step.stdout).toContain('::add-mask::test-key');
  });

  it('without a token nothing is posted, and what proves write access still runs', async () => {
    const { service, github, run } = await world();
    const inputs = { 'github-token': '', prompt: 'Write the release notes.' };
    const push = { ref: 'refs/heads/main', after: 'd'.repeat(40), repository, sender: alice };
    const step = await run({ eventName: 'push', payload: push }, { inputs });
    expect(step.outputs).toMatchObject({ state: 'SUCCEEDED', 'final-message': 'All is well.' });
    expect(step.summary).toContain('All is well.');
    const comment = await run(commentEvent('/agent fix it'), { inputs });
    expect(comment.outputs['reason-code']).toBe('permission_unknown');
    expect(service.runs).toHaveLength(1);
    expect(github.seen).toEqual([]);
  });
});
