import { describe, it, vi, type TestContext } from 'vitest';
import { startFake, type Fault, type Seen } from '../support/fake-http.ts';
import { end } from '../support/fake-service.ts';
import { commentEvent, startWorld, type ActionWorld } from '../support/action-world.ts';
import { ownHead } from '../support/own-branch.ts';

async function world({ onTestFinished }: TestContext): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  return started;
}

const isCreate = (seen: Seen): boolean => seen.method === 'POST' && seen.path.endsWith('/runs');
const isGet = (seen: Seen): boolean => /\/agent\/runs\/[^/]+$/.test(seen.path);
const isComment = (seen: Seen): boolean =>
  seen.method === 'POST' && seen.path.endsWith('/issues/1/comments');
const isPatch = (seen: Seen): boolean => seen.method === 'PATCH';
const isPermission = (seen: Seen): boolean => seen.path.endsWith('/permission');
const command = commentEvent('/agent fix it');

const BRIEF: [string, Fault][] = [
  ['answers 500', { kind: 'status', status: 500 }],
  [
    'answers 429 with Retry-After',
    { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  ],
  ['answers 503', { kind: 'status', status: 503 }],
  ['resets the connection', { kind: 'reset' }],
  ['sends half the bytes', { kind: 'half' }],
  ['sends garbage', { kind: 'garbage' }],
  ['is slow', { kind: 'slow', ms: 300 }],
];

describe.concurrent('a service that stumbles', () => {
  it.for(BRIEF)('and %s while a run is created gets one run', async ([, fault], context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.faults.push({ matches: isCreate, fault, times: 2, effective: true });
    const step = await run(command);
    expect(step.outputs).toMatchObject({ state: 'SUCCEEDED', 'reason-code': 'succeeded' });
    expect(step.exitCode).toBe(0);
    expect(service.runs).toHaveLength(1);
    expect(github.comments).toHaveLength(1);
  });

  it.for(BRIEF)('and %s while the run is watched is waited out', async ([, fault], context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.faults.push({ matches: isGet, fault, times: 2 });
    const step = await run(command);
    expect(step.outputs).toMatchObject({ state: 'SUCCEEDED', conclusion: 'success' });
    expect(service.runs).toHaveLength(1);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('✅ Done');
  });
});

describe.concurrent('a service that stays away', () => {
  it('before the run exists: a red step that says so on the thread, and no comment of a run', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.faults.push({
      matches: () => true,
      fault: { kind: 'status', status: 503 },
      times: Number.POSITIVE_INFINITY,
    });
    const step = await run(command, { inputs: { timeout: '2s' } });
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({
      conclusion: 'failure',
      'reason-code': 'service_unreachable',
    });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('This could not be done');
  });

  it('while the run works: the one comment says that nobody watches', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.play = async (started, self) => {
      await self.whenAsked(started);
      self.change(started, { state: 'INPROGRESS' });
      self.faults.push({
        matches: () => true,
        fault: { kind: 'reset' },
        times: Number.POSITIVE_INFINITY,
      });
    };
    const step = await run(command, { inputs: { timeout: '6s' } });
    expect(step.exitCode).toBe(1);
    expect(step.outputs['run-id']).toBe(service.runs[0]?.run_id);
    expect(['service_unreachable', 'timed_out']).toContain(step.outputs['reason-code']);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toMatch(/no longer watches it/);
  });

  it('refusing the key: red at once, with the remedy', async (context) => {
    const { expect } = context;
    const { github, run } = await world(context);
    const step = await run(command, { inputs: { 'api-key': 'wrong' } });
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({ 'reason-code': 'service_refused' });
    expect(step.stdout).toContain('api-key');
    expect(github.comments).toHaveLength(1);
  });

  it('forgetting the run: red, and the comment says so', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.play = async (started, self) => {
      await self.whenAsked(started);
      self.runs.splice(0);
      self.change(started, { state: 'INPROGRESS' });
    };
    const step = await run(command);
    expect(step.exitCode).toBe(1);
    expect(step.outputs['reason-code']).toBe('run_vanished');
    expect(github.comments[0]?.body).toContain('no longer knows this run');
  });

  it('refusing the reported pull request costs a warning only', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    const data = { url: `${github.url}/acme/widgets/pull/12`, branch: 'x' };
    const artifacts = [{ artifact_type: 'PULL_REQUEST', created_at: '', data }];
    service.play = (started, self) => {
      github.addPull({ number: 12, head: ownHead(started) });
      self.change(started, {
        state: 'SUCCEEDED',
        finished_at: new Date().toISOString(),
        artifacts,
      });
    };
    service.faults.push({
      matches: (seen) => seen.path.endsWith('/report-artifact'),
      fault: { kind: 'status', status: 403 },
      times: 9,
    });
    const step = await run(command);
    expect(step.exitCode).toBe(0);
    expect(step.stdout).toContain('::warning::');
    expect(step.outputs['pull-request-url']).toBe(data.url);
  });
});

describe.concurrent('nobody there at all', () => {
  it('at the service’s address: red, said on the thread', async (context) => {
    const { expect } = context;
    const { github, run } = await world(context);
    const inputs = { 'base-url': await closedAddress(), timeout: '2s' };
    const step = await run(command, { inputs });
    expect(step.exitCode).toBe(1);
    expect(['service_unreachable', 'timed_out']).toContain(step.outputs['reason-code']);
    expect(step.summary).toContain(step.outputs['reason-code']);
    expect(github.comments.length).toBeLessThanOrEqual(1);
  });

  it('at GitHub’s address: nobody’s permission is known, so nothing starts', async (context) => {
    const { expect } = context;
    const { service, run } = await world(context);
    const step = await run(command, { env: { GITHUB_API_URL: await closedAddress() } });
    expect(step.exitCode).toBe(1);
    expect(step.outputs['reason-code']).toBe('permission_unknown');
    expect(service.runs).toEqual([]);
  });

  it('at GitHub’s address once the run works: the result stands in outputs and summary', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.play = (started, self) => {
      void github.close().then(() => end(self, started, 'SUCCEEDED'));
    };
    const step = await run(command);
    expect(step.exitCode).toBe(0);
    expect(step.outputs).toMatchObject({ state: 'SUCCEEDED', 'final-message': 'All is well.' });
    expect(step.summary).toContain('All is well.');
  });
});

/** An address where nobody listens. */
async function closedAddress(): Promise<string> {
  const server = await startFake(() => ({ status: 200 }));
  await server.close();
  return server.url;
}

describe.concurrent('a GitHub that stumbles', () => {
  it.for(BRIEF)(
    'and %s at each kind of request ends in one comment',
    async ([, fault], context) => {
      const { expect } = context;
      const { service, github, run } = await world(context);
      // A write that GitHub answered with an error did nothing; one whose answer broke off was
      // done.
      const effective = fault.kind !== 'status';
      for (const matches of [isPermission, isComment, isPatch]) {
        github.faults.push({ matches, fault, times: 1, effective });
      }
      const step = await run(command);
      expect(step.exitCode).toBe(0);
      expect(step.outputs['state']).toBe('SUCCEEDED');
      expect(service.runs).toHaveLength(1);
      expect(github.comments).toHaveLength(1);
      expect(github.comments[0]?.body).toContain('✅ Done');
    },
  );

  it('losing the answer to a written comment does not get a second one', async (context) => {
    const { expect } = context;
    const { github, run } = await world(context);
    github.faults.push({ matches: isComment, fault: { kind: 'reset' }, times: 1, effective: true });
    const step = await run(command);
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('✅ Done');
  });

  it('that cannot say who asks starts nothing, and the step is red', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    github.faults.push({
      matches: isPermission,
      fault: { kind: 'status', status: 500 },
      times: Number.POSITIVE_INFINITY,
    });
    const step = await run(command);
    expect(step.exitCode).toBe(1);
    expect(step.outputs['reason-code']).toBe('permission_unknown');
    expect(service.runs).toHaveLength(0);
  });

  it.for<[string, boolean]>([
    ['Unable to create comment because issue is locked.', false],
    ['Resource not accessible by integration', true],
  ])(
    'that refuses every write (%s) leaves the result in outputs and summary',
    async ([message, hasHint], context) => {
      const { expect } = context;
      const { github, run } = await world(context);
      github.faults.push({
        matches: (seen) => seen.method !== 'GET',
        fault: { kind: 'status', status: 403, message },
        times: Number.POSITIVE_INFINITY,
      });
      const step = await run(command);
      expect(step.exitCode).toBe(0);
      expect(step.outputs).toMatchObject({ state: 'SUCCEEDED', 'final-message': 'All is well.' });
      expect(step.summary).toContain('`SUCCEEDED`');
      expect(github.comments).toHaveLength(0);
      expect(step.stdout).toContain(`::warning::The comment could not be written: ${message}`);
      expect(step.stdout.includes('issues: write')).toBe(hasHint);
    },
  );

  it('whose token dies during the run does not lose the result', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.play = async (started, self) => {
      await vi.waitFor(() => expect(github.comments).toHaveLength(1), { timeout: 60_000 });
      github.faults.push({
        matches: () => true,
        fault: { kind: 'status', status: 401 },
        times: Number.POSITIVE_INFINITY,
      });
      end(self, started, 'SUCCEEDED');
    };
    const step = await run(command);
    expect(step.exitCode).toBe(0);
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'final-message': 'All is well.' });
    expect(step.stdout).toContain('no longer valid');
  });
});
