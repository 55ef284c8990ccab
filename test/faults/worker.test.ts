import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { killMarked, pidsMarked } from '../../src/worker/sandbox/process-marker.ts';
import { openBench, SANDBOX, temporaryDirectory, type Bench } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, gitIn, makeRemote, script } from '../support/worker-remote.ts';
import type { ServedRun } from '../support/worker-protocol.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { programFile } from '../support/programs.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const WORKER = programFile('test/support/worker-process.ts');

/** A worker in a process of its own. */
async function startProcess(bench: Bench, options: object = {}): Promise<ChildProcess> {
  const marker = randomUUID();
  const child = spawn(process.execPath, [WORKER], {
    env: {
      ...cleanEnvironment(),
      RUN_MARKER: marker,
      WORKER_OPTIONS: JSON.stringify({
        baseUrl: bench.service.baseUrl,
        apiKey: 'rl_worker_key_of_the_test',
        dataDir: bench.dataDir,
        sandbox: SANDBOX,
        defaultHarness: 'demo',
        harnesses: FAKE_HARNESSES,
        allowInsecureRemotes: true,
        limits: { cancelGraceMs: 500 },
        ...options,
      }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await killMarked(marker);
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Waits for it, on a busy machine too. */
const eventually: typeof expect.poll = (read) => {
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- awaited where it is used
  return expect.poll(read, { timeout: 60_000, interval: 100 });
};

const fileOf = (bench: Bench, run: ServedRun, name: string): string =>
  join(bench.dataDir, 'runs', run.lease.run_id, 'workspace/demo', name);

const appears = (path: string): Promise<void> => eventually(() => existsSync(path)).toBe(true);

describe('a worker that is killed', () => {
  // At the pull request this is shown each time (worker-stages), after a turn's beginning below.
  it.runIf(LONG)(
    'in the middle of a turn leaves a run that its successor takes up and ends, once',
    async () => {
      const bench = await openBench();
      const remote = makeRemote(bench.dataDir);
      const first = await startProcess(bench);
      const run = bench.service.offer(bench.lease({}, remote));
      await eventually(() => run.events.some(({ type }) => type === 'tool_call')).toBe(true);
      await kill(first);
      await startProcess(bench);
      await bench.ended(run);
      expect(run.completed).toHaveLength(1);
      expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED' });
      expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, index) => index + 1));
      expect(bench.service.pulls).toHaveLength(1);
      const branch = run.completed[0]?.branch ?? '';
      expect(gitIn(remote, 'rev-list', '--count', `main..${branch}`).trim()).toBe('1');
      expect(await bench.processesOf(run)).toEqual([]);
    },
  );

  it('leaves no process of the agent once the next one is up', async () => {
    const bench = await openBench();
    const first = await startProcess(bench, { sandbox: 'direct' });
    const run = bench.fake(
      [
        { daemon: 'trap "" TERM; touch up; while :; do sleep 1; done' },
        { say: 'x' },
        { hang: true },
      ],
      {},
      makeRemote(bench.dataDir),
    );
    await appears(fileOf(bench, run, 'up'));
    await kill(first);
    expect((await bench.processesOf(run)).length).toBeGreaterThan(0);
    bench.service.lose(run);
    await startProcess(bench);
    await eventually(() => bench.processesOf(run)).toEqual([]);
  });

  it('leaves no git either that waits for a remote', async () => {
    const bench = await openBench();
    const first = await startProcess(bench);
    const remote = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void remote.close());
    await once(remote, 'listening');
    const { port } = remote.address() as AddressInfo;
    const run = bench.service.offer(bench.lease({}, `http://127.0.0.1:${port}/o/demo.git`));
    await once(remote, 'connection');
    await kill(first);
    expect((await bench.processesOf(run)).length).toBeGreaterThan(0);
    bench.service.lose(run);
    await startProcess(bench);
    await eventually(() => bench.processesOf(run)).toEqual([]);
  });

  it('knows no secret on disk but the lease’s own token (threats.md S13), and gives a run up that went to another', async () => {
    const bench = await openBench();
    const first = await startProcess(bench);
    const run = bench.fake([{ say: 'x' }, { hang: true }]);
    await eventually(() => run.events.some(({ type }) => type === 'message')).toBe(true);
    await kill(first);
    const file = readFileSync(join(bench.dataDir, 'runs', run.lease.run_id, 'run.json'), 'utf8');
    expect(file).toContain(run.lease.token);
    expect(file).not.toContain(run.lease.run_key);
    expect(file).not.toContain(run.lease.git?.token);
    bench.service.lose(run);
    const second = await startProcess(bench);
    const next = await bench.ended(bench.fake([{ say: 'next' }]));
    expect(next.completed[0]).toMatchObject({ state: 'SUCCEEDED' });
    expect(run.completed).toEqual([]);
    await kill(second);
  });
});

describe('a worker that is told to stop', () => {
  it('leaves what is not done to the next one', async () => {
    const bench = await openBench();
    const first = await startProcess(bench);
    const run = bench.fake(
      [
        { say: 'one', id: 'a' },
        { shell: 'test -f again || { touch again; sleep 60; }' },
        { say: 'two', id: 'b' },
      ],
      {},
      makeRemote(bench.dataDir),
    );
    await appears(fileOf(bench, run, 'again'));
    const gone = once(first, 'exit');
    first.kill('SIGTERM');
    await gone;
    expect(run.completed).toEqual([]);
    expect(await bench.processesOf(run)).toEqual([]);
    await startProcess(bench);
    await bench.ended(run);
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'two' });
  });
});

describe('a worker that lost its lease', () => {
  it('stops its agent at once and says nothing more about the run', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([{ say: 'x' }, { hang: true }]);
    await eventually(() => run.events.some(({ type }) => type === 'message')).toBe(true);
    const before = run.events.length;
    bench.service.lose(run);
    await eventually(() => bench.processesOf(run)).toEqual([]);
    expect(run.completed).toEqual([]);
    expect(run.events).toHaveLength(before);
  });

  // Beside a service this is shown each time (claimers, worker-stages).
  it.runIf(LONG)(
    'because it was frozen for too long finds its writes refused (threats.md S12)',
    async () => {
      const bench = await openBench();
      const child = await startProcess(bench);
      const run = bench.fake(
        [{ say: 'x' }, { shell: 'touch up; sleep 2' }, { say: 'late', id: 'late' }],
        {},
        makeRemote(bench.dataDir),
      );
      await appears(fileOf(bench, run, 'up'));
      child.kill('SIGSTOP');
      bench.service.lose(run);
      child.kill('SIGCONT');
      await eventually(() => bench.processesOf(run)).toEqual([]);
      expect(run.completed).toEqual([]);
      expect(JSON.stringify(run.events)).not.toContain('late');
    },
  );
});

describe('a network that is cut', () => {
  it('for a moment loses no entry of the log', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([
      { say: 'start', id: 's' },
      { shell: 'sleep 0.3' },
      { burst: 500 },
      { shell: 'touch said' },
      { say: 'end', id: 'e' },
    ]);
    await eventually(() => run.events.some(({ type }) => type === 'message')).toBe(true);
    bench.service.disconnect();
    await eventually(() => globSync('**/said', { cwd: bench.dataDir })).toHaveLength(1);
    const before = bench.service.cutOff;
    await eventually(() => bench.service.cutOff).toBeGreaterThan(before);
    bench.service.cut = false;
    await bench.ended(run);
    const said = run.events.filter((event) => event.type === 'message').map(({ delta }) => delta);
    expect(said).toHaveLength(502);
    expect(said.at(-1)).toBe('end');
    expect(run.completed).toHaveLength(1);
  });
});

describe('an agent that behaves badly', () => {
  const endings = async (steps: Parameters<Bench['fake']>[0], remote?: string) => {
    const bench = await openBench();
    await bench.start({ sandbox: 'direct' });
    const run = await bench.ended(bench.fake(steps, {}, remote));
    await eventually(() => bench.processesOf(run)).toEqual([]);
    return run;
  };

  it('by ignoring signals and cancels is ended all the same', async () => {
    const bench = await openBench();
    const [node = '', agent = ''] = FAKE_HARNESSES.fake.command;
    await bench.start({
      harnesses: {
        fake: { agent: 'acp', command: [node, agent, '--ignore-signals'], variables: [] },
      },
    });
    const run = bench.fake([{ deaf: true }, { say: 'x' }, { wait: true }]);
    await eventually(() => run.events.some(({ type }) => type === 'message')).toBe(true);
    bench.service.signal(run, { id: 1, type: 'cancel' });
    await bench.ended(run);
    expect(run.completed[0]).toMatchObject({ state: 'CANCELLED' });
    await eventually(() => bench.processesOf(run)).toEqual([]);
  });

  it('by writing what is no protocol is passed over, which the log says, and by leaving daemons behind has none left', async () => {
    const run = await endings([
      { daemon: 'sleep 1000' },
      { daemon: 'setsid sh -c "trap \\"\\" TERM; sleep 1000"' },
      { raw: 'Segmentation fault' },
      {
        raw: '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call"}}}',
      },
      { raw: '[1,2]' },
      { raw: '{"id":"nobody","result":{}}' },
      { say: 'done' },
    ]);
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'done' });
    expect(
      run.events.some((event) => event.type === 'notice' && event.raw === 'Segmentation fault'),
    ).toBe(true);
  });

  it('by writing one line without end is passed over, by flooding its output loses neither head nor tail of it', async () => {
    const run = await endings([{ line: 30 }, { output: LONG ? 200 : 20 }, { say: 'done' }]);
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'done' });
    const notices = run.events.map((event) => (event.type === 'notice' && event.raw) || '');
    expect(notices.join()).toContain('left out');
    const output = run.events
      .map((event) => (event.type === 'tool_call' ? (event.output_delta ?? '') : ''))
      .join('');
    expect(output.startsWith('HEAD')).toBe(true);
    expect(output.endsWith('TAIL\n')).toBe(true);
    expect(output.length).toBeLessThan(1_200_000);
  });

  it('by breaking its repository ends with a word about it', async () => {
    const remote = makeRemote(temporaryDirectory());
    const run = await endings([{ shell: 'rm -rf .git' }, { say: 'done' }], remote);
    expect(run.completed[0]).toMatchObject({ state: 'ERROR', error_code: 'agent_process_failed' });
    expect(run.completed[0]?.message).toContain('repository is gone');
  });
});

describe('a workspace that cannot be made', () => {
  it('ends the run with what git said, and the token nowhere', async () => {
    const bench = await openBench();
    await bench.start();
    const lease = bench.lease({}, '/nonexistent/secret-place.git');
    const run = await bench.ended(bench.service.offer(lease));
    expect(run.completed[0]).toMatchObject({
      state: 'FAILED',
      error_code: 'environment_setup_failed',
    });
    const step = run.events.find((event) => event.type === 'setup');
    expect(step).toMatchObject({ step: 'clone', is_error: true });
  });

  it('because a set-up command fails says which and how', async () => {
    const bench = await openBench();
    await bench.start();
    const lease = bench.lease({}, makeRemote(bench.dataDir));
    const environment = lease.environment && {
      ...lease.environment,
      setup_commands: ['echo fine > made.txt', 'echo broken >&2; exit 7'],
    };
    const run = await bench.ended(
      bench.service.offer({ ...lease, ...(environment ? { environment } : {}) }),
    );
    expect(run.completed[0]).toMatchObject({
      state: 'FAILED',
      error_code: 'environment_setup_failed',
    });
    expect(run.completed[0]?.message).toMatch(/exit code 7[\s\S]*broken/);
    expect(
      run.events.filter((event) => event.type === 'setup' && event.step === 'setup_command'),
    ).toHaveLength(2);
  });

  it('for want of disk gives the run back', async () => {
    const bench = await openBench();
    mkdirSync(join(bench.dataDir, 'runs'), { recursive: true });
    await bench.start();
    const lease = bench.lease();
    // A file where the run's directory should be fails as a full disk does: nothing can be written.
    writeFileSync(join(bench.dataDir, 'runs', lease.run_id), '');
    const run = bench.service.offer(lease);
    await eventually(() => run.state).toBe('RELEASED');
    expect(run.completed).toEqual([]);
  });
});

describe('what set-up commands leave behind', () => {
  it('is not part of the pull request, what the agent changes is, committed or not', async () => {
    const bench = await openBench();
    await bench.start();
    const remote = makeRemote(bench.dataDir);
    const lease = bench.lease({}, remote);
    const environment = lease.environment && {
      ...lease.environment,
      setup_commands: ['echo x > from-setup.txt'],
    };
    const prompt = script({ write: 'from-agent.txt', text: 'y' }, { say: 'done' });
    const run = await bench.ended(
      bench.service.offer({
        ...lease,
        prompt,
        config: { harness: { type: 'fake' } },
        ...(environment ? { environment } : {}),
      }),
    );
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'done' });
    const branch = run.completed[0]?.branch ?? '';
    expect(gitIn(remote, 'diff', '--name-only', 'main', branch)).toBe('from-agent.txt\n');
    const shown = run.events.flatMap((event) => (event.type === 'changes' ? event.files : []));
    expect(shown.map(({ path }) => path)).toEqual(['from-agent.txt']);
    expect(gitIn(remote, 'log', '-1', '--format=%B', branch)).toContain('Run: ');
  });
});

it('finds a process by its marker wherever it went', async () => {
  const marker = randomUUID();
  const child = spawn('sh', ['-c', 'exec setsid sleep 1000'], {
    env: { PATH: '/usr/bin:/bin', RUN_MARKER: marker },
  });
  await eventually(() => pidsMarked(marker).length).toBe(1);
  expect(await killMarked(marker)).toBe(0);
  await (child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined);
});
