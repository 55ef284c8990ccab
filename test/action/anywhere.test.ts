import { describe, it, type TestContext } from 'vitest';
import {
  alice,
  commentEvent,
  repository,
  startWorld,
  type ActionWorld,
} from '../support/action-world.ts';

async function world({ onTestFinished }: TestContext): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  return started;
}

const command = commentEvent('/agent fix it');

describe.concurrent('the Action fits anywhere', () => {
  it('on GitHub Enterprise Server, REST and GraphQL at the addresses the runner names', async (context) => {
    const { expect } = context;
    const { run, github } = await world(context);
    github.addPull({ number: 12 });
    const review = {
      id: 3,
      node_id: 'PRR_3',
      html_url: 'https://ghes.example/r/3',
      body: '/agent fix it',
      user: alice,
      state: 'commented',
      submitted_at: '2026-11-21T08:00:00Z',
    };
    const repo = { full_name: 'acme/widgets' };
    const pull_request = {
      number: 12,
      node_id: 'PR_12',
      html_url: `${github.url}/acme/widgets/pull/12`,
      title: 'x',
      body: '',
      user: alice,
      head: { ref: 'x', sha: 'a'.repeat(40), repo },
      base: { ref: 'main', sha: 'b'.repeat(40), repo },
    };
    const payload = { action: 'submitted', repository, review, pull_request, sender: alice };
    const step = await run(
      { eventName: 'pull_request_review', payload },
      { env: { GITHUB_API_URL: `${github.url}/api/v3` } },
    );
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(github.seen.every(({ path }) => path.startsWith('/api/'))).toBe(true);
    expect(github.seen.some(({ path }) => path === '/api/graphql')).toBe(true);
  });

  it('as a dry run, which shows the exact request and sends nothing', async (context) => {
    const { expect } = context;
    const { run, service, github } = await world(context);
    const step = await run(command, {
      inputs: { 'dry-run': 'true', model: 'gpt-9', config: 'harness:\n  type: demo' },
    });
    expect(step.outputs).toMatchObject({ 'reason-code': 'dry_run', conclusion: 'success' });
    const [, shown = ''] = /::stop-commands::\S+\r?\n([\s\S]*?)\r?\n::/.exec(step.stdout) ?? [];
    expect(JSON.parse(shown)).toMatchObject({
      config: { model_id: 'gpt-9', harness: { type: 'demo' } },
      metadata: { 'runlink.actor': 'alice' },
    });
    expect(service.runs).toEqual([]);
    expect([...service.seen, ...github.seen].filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('with step debugging prints the traffic, and no secret or text of it', async (context) => {
    const { expect } = context;
    const { run } = await world(context);
    const step = await run(command, { env: { RUNNER_DEBUG: '1' } });
    expect(step.stdout).toContain('::debug::');
    expect(step.stdout).toContain('runs.create');
    const withoutMasks = step.stdout.replaceAll(/^::add-mask::.*$/gm, '');
    expect(withoutMasks).not.toMatch(/test-key|gh-token|Monday/);
  });

  it('masks its secrets before it prints anything else', async (context) => {
    const { expect } = context;
    const { run } = await world(context);
    const step = await run(command);
    expect(step.stdout.startsWith('::add-mask::test-key')).toBe(true);
  });

  it('prints nothing of the agent that the runner would take for a command', async (context) => {
    const { expect } = context;
    const { run, service } = await world(context);
    service.play = (one, self) => {
      self.change(one, {
        state: 'FAILED',
        title: '::error::title',
        finished_at: new Date().toISOString(),
        status_message: { message: '::set-output name=state::x\n::add-mask::a' },
        words: '::stop-commands::x\n::warning::hello',
      });
    };
    const step = await run(command);
    expect(step.outputs['state']).toBe('FAILED');
    expect(step.outputs['final-message']).toContain('::warning::hello');
    const commands = step.stdout
      .split('\n')
      .filter((line) => /^\s*::(?:set-output|warning|stop-commands::x)/.test(line));
    expect(commands).toEqual([]);
  });
});

describe.concurrent('the Action with what it is given', () => {
  it('with the configuration it was given, and faults in it named with their line', async (context) => {
    const { expect } = context;
    const { run, service } = await world(context);
    const inputs = {
      metadata: 'team: x\nsprint: 42',
      name: 'nightly',
      title: 'Own title',
      agent: 'agent-1',
      skill: 'a/b:c',
      prompt: 'Do it.',
    };
    const push = {
      eventName: 'push',
      payload: { ref: 'refs/heads/main', repository, sender: alice },
    };
    await run(push, { inputs });
    expect(service.runs[0]?.['request']).toMatchObject({
      title: 'Own title',
      skill: 'a/b:c',
      agent_identity_uid: 'agent-1',
      config: { name: 'nightly' },
      metadata: { team: 'x', sprint: '42' },
    });
    const bad = await run(push, { inputs: { ...inputs, config: 'harness:\n  type: 7' } });
    expect(bad.exitCode).toBe(1);
    expect(bad.stdout).toMatch(/Input config is not valid: config:2:\d+: harness\.type/);
    expect(service.runs).toHaveLength(1);
  });

  it('and chooses the environment that alone lists the repository', async (context) => {
    const { expect } = context;
    const { run, service } = await world(context);
    const uid = 'A'.repeat(22);
    service.environments.push({
      uid,
      config: { name: 'one', github_repos: [{ owner: 'acme', repo: 'widgets' }] },
    });
    await run(command);
    expect(service.runs[0]?.agent_config).toEqual({ environment_id: uid });
  });

  it.for([
    ['a comment', command, {}],
    [
      'a push',
      { eventName: 'push', payload: { ref: 'refs/heads/main', repository, sender: alice } },
      { prompt: 'x' },
    ],
  ] as const)(
    'a second attempt for %s joins the run that still works, and starts a new one otherwise',
    async ([, event, inputs], context) => {
      const { expect } = context;
      const { run, service } = await world(context);
      service.play = undefined;
      const first = { inputs: { ...inputs, wait: 'false' } };
      const again = { ...first, env: { GITHUB_RUN_ATTEMPT: '2' } };
      await run(event, first);
      const joined = await run(event, again);
      expect(joined.outputs['run-id']).toBe(service.runs[0]?.run_id);
      expect(service.runs[0]?.followups).toEqual([]);
      if (service.runs[0]) service.change(service.runs[0], { state: 'FAILED' });
      const fresh = await run(event, again);
      expect(service.runs).toHaveLength(2);
      expect(fresh.outputs['run-id']).toBe(service.runs[1]?.run_id);
    },
  );

  it('a delivery that comes twice is one run and one comment (threats.md G4)', async (context) => {
    const { expect } = context;
    const { run, service, github } = await world(context);
    for (const _ of [1, 2]) await run(command);
    expect(service.runs).toHaveLength(1);
    expect(service.runs[0]?.followups).toEqual([]);
    expect(github.comments).toHaveLength(1);
  });

  it('without metadata filters at the service, by looking through the list', async (context) => {
    const { expect } = context;
    const { run, service } = await world(context);
    service.withoutMetadataFilter = true;
    const step = await run(command);
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(service.runs).toHaveLength(1);
  });

  it.for([
    ['FAILED', 1, 'failure', 'failed'],
    ['ERROR', 1, 'failure', 'errored'],
    ['BLOCKED', 1, 'neutral', 'blocked'],
    ['CANCELLED', 1, 'cancelled', 'cancelled'],
  ] as const)(
    'ends in step with a run that ended %s',
    async ([state, code, conclusion, reason], context) => {
      const { expect } = context;
      const { run, service } = await world(context);
      service.play = (one, self) => {
        const status_message = {
          message: 'It is so.',
          error_code: 'internal_error',
          retryable: true,
        };
        self.change(one, { state, finished_at: new Date().toISOString(), status_message });
      };
      const step = await run(command);
      expect(step.exitCode).toBe(code);
      expect(step.outputs).toMatchObject({
        state,
        conclusion,
        'reason-code': reason,
        'status-message': 'It is so.',
        'error-code': 'internal_error',
        retryable: 'true',
      });
      const green = await run(
        commentEvent('/agent new x', { comment: { id: 2, node_id: 'IC_2' } }),
        { inputs: { 'fail-on': 'none' } },
      );
      expect(green.exitCode).toBe(0);
    },
  );
});
