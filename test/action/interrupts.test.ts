import type { ChildProcess } from 'node:child_process';
import { describe, it, vi, type TestContext } from 'vitest';
import type { Seen } from '../support/fake-http.ts';
import {
  commentEvent,
  onPullRequest,
  startWorld,
  type ActionWorld,
} from '../support/action-world.ts';
import { end, leftFile } from '../support/fake-service.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

async function world({ onTestFinished }: TestContext): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  started.service.play = undefined;
  return started;
}

const command = commentEvent('/agent fix it');

/** The first request of each stage; the signal comes while it is under way. */
const STAGES: [string, 'github' | 'service', (seen: Seen) => boolean][] = [
  ['asking for the permission', 'github', (seen) => seen.path.endsWith('/permission')],
  ['reacting', 'github', (seen) => seen.path.endsWith('/reactions')],
  ['creating the run', 'service', (seen) => seen.method === 'POST' && seen.path.endsWith('/runs')],
  ['looking for the thread’s run', 'service', (seen) => seen.query.has('limit')],
  ['reading the log', 'service', (seen) => seen.path.endsWith('/entries')],
  ['reading the environments', 'service', (seen) => seen.path.endsWith('/environments')],
  [
    'writing the comment',
    'github',
    (seen) => seen.method === 'POST' && seen.path.endsWith('/comments'),
  ],
  ['looking at the run', 'service', (seen) => /\/runs\/[^/]+$/.test(seen.path)],
];

/** In a quick run every other one. */
const some = <T>(all: readonly T[]): T[] => all.filter((_, index) => isLong || index % 2 === 0);

/** SIGINT, 7.5 s later SIGTERM, 2.5 s later the end (what GitHub documents). */
function endAsTheRunnerDoes(child: ChildProcess): NodeJS.Timeout[] {
  child.kill('SIGINT');
  return [
    setTimeout(() => child.kill('SIGTERM'), 7500),
    setTimeout(() => child.kill('SIGKILL'), 10_000),
  ];
}

describe.concurrent('a workflow that is cancelled', () => {
  it.for(some(STAGES))(
    'while %s leaves no run working and nothing that says so',
    async ([, side, matches], context) => {
      const { expect } = context;
      const { service, github, start } = await world(context);
      const server = side === 'github' ? github : service;
      server.faults.push({ matches, fault: { kind: 'slow', ms: 400 }, times: 1 });
      const step = await start(command);
      await vi.waitFor(() => expect(server.seen.some(matches)).toBe(true), {
        timeout: 20_000,
        interval: 5,
      });
      step.child.kill('SIGINT');
      const result = await step.done;
      expect(result.outputs).toMatchObject({
        'reason-code': 'interrupted',
        conclusion: 'cancelled',
      });
      expect(result.exitCode).toBe(1);
      expect(service.runs.every((run) => run.state === 'CANCELLED')).toBe(true);
      expect(github.comments.filter(({ body }) => /🔄|⏳/.test(body))).toEqual([]);
      expect(github.comments.length).toBeLessThanOrEqual(1);
    },
  );

  it.for(
    some([
      ['changing the comment', /^PATCH /],
      ['reacting', /\/reactions$/],
      ['asking for the permission', /\/permission$/],
      ['writing the comment', /^POST .*\/comments$/],
    ] as const),
  )(
    'while GitHub hangs at %s ends before it is killed, and the post step does the rest',
    async ([, pattern], context) => {
      const { expect } = context;
      const { service, github, start, run } = await world(context);
      let hangs = false;
      const matches = ({ method, path }: Seen): boolean => {
        hangs ||= pattern.test(`${method} ${path}`);
        return hangs;
      };
      const rule = { matches, fault: { kind: 'hang' }, times: Infinity, effective: true } as const;
      github.faults.push(rule);
      const step = await start(command);
      const goOn = (): void => {
        // Once its comment stands, the run works: the comment has something to change to.
        for (const one of github.comments.length > 0 ? service.runs : [])
          if (one.state === 'QUEUED') service.change(one, { state: 'INPROGRESS' });
        expect(hangs).toBe(true);
      };
      await vi.waitFor(goOn, { timeout: 20_000, interval: 5 });
      const timers = endAsTheRunnerDoes(step.child);
      const result = await step.done;
      for (const timer of timers) clearTimeout(timer);
      expect(step.child.signalCode).toBe(null);
      expect(result.outputs['reason-code']).toBe('interrupted');
      expect(service.runs.every(({ state }) => state === 'CANCELLED')).toBe(true);
      github.faults.splice(0);
      await run(command, { entry: 'post', state: result.state });
      expect(github.comments).toHaveLength(service.runs.length);
      for (const { body } of github.comments) expect(body).toContain('⏹️ Cancelled');
    },
  );

  it('and killed between posting a review and remembering it posts no other', async (context) => {
    const { expect } = context;
    const { service, github, start, run } = await world(context);
    const base = { ref: 'main', repo: { full_name: 'acme/widgets' } };
    github.addPull({ number: 12, base });
    service.play = (one, self) => {
      const artifacts = [leftFile(self, 'review.json', '{"summary": "Fine."}')];
      end(self, one, 'SUCCEEDED', { artifacts });
    };
    const isPost = ({ method, path }: Seen): boolean =>
      method === 'POST' && path.endsWith('/reviews');
    const rule = { matches: isPost, fault: { kind: 'hang' }, times: 1, effective: true } as const;
    github.faults.push(rule);
    const asked = commentEvent('/agent review', { issue: onPullRequest(github) });
    const step = await start(asked);
    await vi.waitFor(() => expect(github.reviews).toHaveLength(1), { timeout: 20_000 });
    step.child.kill('SIGKILL');
    const { state } = await step.done;
    await run(asked, { entry: 'post', state });
    expect(github.seen.filter(isPost)).toHaveLength(1);
    expect(github.reviews).toHaveLength(1);
    expect(github.comments.map(({ body }) => body)).toEqual([
      expect.stringContaining('`SUCCEEDED`'),
    ]);
  });

  it('while the run starts asks again after 409', async (context) => {
    const { expect } = context;
    const { service, github, start } = await world(context);
    service.play = (run, self) => {
      self.change(run, { state: 'PENDING' });
    };
    const step = await start(command);
    await vi.waitFor(() => expect(github.comments).toHaveLength(1), { timeout: 20_000 });
    step.child.kill('SIGTERM');
    const isCancel = (seen: Seen): boolean => seen.path.endsWith('/cancel');
    await vi.waitFor(() => expect(service.seen.filter(isCancel).length).toBeGreaterThan(1), {
      timeout: 10_000,
    });
    const [run] = service.runs;
    if (run) service.change(run, { state: 'INPROGRESS' });
    const result = await step.done;
    expect(result.outputs['state']).toBe('CANCELLED');
    expect(github.comments[0]?.body).toContain('⏹️ Cancelled');
    expect(github.comments[0]?.body).toContain('The workflow was cancelled.');
  });

  it('with on-cancel: detach lets the run go on and says so', async (context) => {
    const { expect } = context;
    const { service, github, start } = await world(context);
    const step = await start(command, { inputs: { 'on-cancel': 'detach' } });
    await vi.waitFor(() => expect(github.comments).toHaveLength(1), { timeout: 20_000 });
    step.child.kill('SIGINT');
    await step.done;
    expect(service.runs[0]?.state).toBe('QUEUED');
    expect(github.comments[0]?.body).toContain('no longer watches it');
  });

  it('attached by run-id never cancels it unasked', async (context) => {
    const { expect } = context;
    const { service, start } = await world(context);
    const headers = { authorization: 'Bearer test-key', 'content-type': 'application/json' };
    await fetch(`${service.apiUrl}/agent/runs`, {
      method: 'POST',
      headers,
      body: '{"prompt":"x"}',
    });
    const runId = service.runs[0]?.run_id ?? '';
    const step = await start(
      { eventName: 'push', payload: { ref: 'refs/heads/main' } },
      { inputs: { 'run-id': runId } },
    );
    await vi.waitFor(
      () => expect(service.seen.some(({ path }) => path.endsWith('/entries'))).toBe(true),
      { timeout: 20_000 },
    );
    step.child.kill('SIGTERM');
    const result = await step.done;
    expect(service.runs[0]?.state).toBe('QUEUED');
    expect(result.outputs).toMatchObject({ 'run-id': runId, 'reason-code': 'interrupted' });
  });
});

describe.concurrent('an Action that is killed', () => {
  it('outright is finished by the post step', async (context) => {
    const { expect } = context;
    const { service, github, start, run } = await world(context);
    const step = await start(command);
    await vi.waitFor(() => expect(github.comments).toHaveLength(1), { timeout: 20_000 });
    step.child.kill('SIGKILL');
    const { state } = await step.done;
    expect(state).toMatchObject({ started: 'true', 'run-id': service.runs[0]?.run_id });
    const post = await run(command, { entry: 'post', state });
    expect(post.exitCode).toBe(0);
    expect(service.runs[0]?.state).toBe('CANCELLED');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('⏹️ Cancelled');
  });

  it('before it knew its run’s id is finished by the request’s', async (context) => {
    const { expect } = context;
    const { service, start, run } = await world(context);
    service.faults.push({
      matches: (seen) => seen.method === 'POST' && seen.path.endsWith('/runs'),
      fault: { kind: 'hang' },
      times: 1,
      effective: true,
    });
    const step = await start(command);
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), { timeout: 20_000 });
    step.child.kill('SIGKILL');
    const { state } = await step.done;
    await run(command, { entry: 'post', state });
    expect(service.runs[0]?.state).toBe('CANCELLED');
  });

  it('after its end leaves nothing for the post step', async (context) => {
    const { expect } = context;
    const { service, run } = await world(context);
    service.play = (one, self) => {
      self.change(one, { state: 'SUCCEEDED', finished_at: new Date().toISOString() });
    };
    const { state } = await run(command);
    const before = service.seen.length;
    const post = await run(command, { entry: 'post', state });
    expect(post.exitCode).toBe(0);
    expect(service.seen.length).toBe(before);
  });
});

describe.concurrent('a step whose time is over', () => {
  it('detaches: red, the run goes on, the comment says so', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    const step = await run(command, { inputs: { timeout: '8s' } });
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({
      'reason-code': 'timed_out',
      conclusion: 'timed_out',
      state: 'QUEUED',
    });
    expect(service.runs[0]?.state).toBe('QUEUED');
    expect(github.comments[0]?.body).toContain('no longer watches it');
  });

  it('with on-timeout: cancel cancels the run', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    const step = await run(command, { inputs: { timeout: '8s', 'on-timeout': 'cancel' } });
    expect(step.outputs).toMatchObject({ 'reason-code': 'timed_out', state: 'CANCELLED' });
    expect(service.runs[0]?.state).toBe('CANCELLED');
    expect(github.comments[0]?.body).toContain('The time limit of the step passed.');
  });

  it('says that a run which cannot be cancelled goes on', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.play = (one) => {
      one['uncancellable'] = true;
    };
    await run(command, { inputs: { timeout: '8s', 'on-timeout': 'cancel' } });
    expect(github.comments[0]?.body).toContain('cannot cancel this kind of run');
  });
});

describe('a workflow that is cancelled', () => {
  it('on a runner with Windows hears Ctrl-Break, as Node tells it (docs: workflow-cancellation)', async (context) => {
    const { expect } = context;
    const { service, start } = await world(context);
    const breaks = 'process.on("SIGUSR2",()=>process.emit("SIGBREAK"))';
    const step = await start(command, {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}` },
    });
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), { timeout: 20_000, interval: 5 });
    step.child.kill('SIGUSR2');
    expect((await step.done).outputs['reason-code']).toBe('interrupted');
    expect(service.runs.map(({ state }) => state)).toEqual(['CANCELLED']);
  });
});
