import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { WorkerEvent } from '../../src/contract/event.ts';
import { diagnose } from '../../src/worker/doctor/diagnose.ts';
import { keepHouse } from '../../src/worker/housekeeping.ts';
import { newRunFile, writeRunFile } from '../../src/worker/lease/run-file.ts';
import type { WorkerContext } from '../../src/worker/run/run-context.ts';
import { chooseIsolation } from '../../src/worker/sandbox/choose.ts';
import { machineView } from '../../src/worker/sandbox/machine-view.ts';
import { DEFAULT_KEEP, DEFAULT_LIMITS } from '../../src/worker/worker-options.ts';
import { openBench, temporaryDirectory } from '../support/worker-bench.ts';
import { makeRemote, script } from '../support/worker-remote.ts';

const textOf = (events: WorkerEvent[]): string =>
  events.map((event) => (event.type === 'message' ? event.delta : '')).join('');

describe('a run', () => {
  it('gives its agent instructions, skill and MCP servers, the run’s variables, and nothing of the worker’s', async () => {
    const bench = await openBench();
    await bench.start({
      environment: { PATH: process.env['PATH'], WORKER_SECRET: 'worker-only-value' },
    });
    const lease = bench.lease({}, makeRemote(bench.dataDir));
    const secret = 'value-of-a-secret-variable';
    const environment = lease.environment && {
      ...lease.environment,
      variables: { DEPLOY_KEY: secret },
    };
    const run = bench.service.offer({
      ...lease,
      ...(environment ? { environment } : {}),
      base_prompt: 'BASE RULES',
      skills: [
        { name: 'review', path: 'skills/review/SKILL.md', content: 'SKILL TEXT' },
        { name: 'polish', path: 'skills/polish/SKILL.md', content: 'POLISH TEXT' },
      ],
      prompt: 'the task',
      mode: 'orchestrate',
      config: {
        harness: { type: 'fake' },
        mcp_servers: { tiny: { command: 'node', args: ['x'], env: { TOKEN: 'mcp-token-value' } } },
      },
    });
    await bench.ended(run);
    const said = textOf(run.events);
    for (const part of [
      'BASE RULES',
      'SKILL TEXT',
      'POLISH TEXT',
      'the task',
      'You work unattended',
      'Lead others',
    ])
      expect(said).toContain(part);

    const probe = bench.service.offer({
      ...bench.lease({
        prompt: script({ environment: true }, { servers: true }),
        config: run.lease.config,
      }),
      ...(environment ? { environment } : {}),
    });
    await bench.ended(probe);
    const seen = textOf(probe.events);
    expect(seen).toContain('"RUNLINK_RUN_ID"');
    expect(seen).toContain('"DEPLOY_KEY":"***"');
    expect(seen).toContain('"name":"tiny"');
    const all = JSON.stringify([...run.events, ...probe.events]);
    for (const value of [
      secret,
      'mcp-token-value',
      'worker-only-value',
      lease.run_key,
      'rl_worker_key_of_the_test',
    ])
      expect(all).not.toContain(value);
    expect(seen).not.toContain('WORKER_SECRET');
  });

  it('keeps the files its agent left for people, and follows no link', async () => {
    const bench = await openBench();
    await bench.start();
    const run = await bench.ended(
      bench.fake([
        {
          shell:
            'mkdir "$RUNLINK_ARTIFACTS/shots"; printf png > "$RUNLINK_ARTIFACTS/shots/a.png"; : > "$RUNLINK_ARTIFACTS/empty.txt"; ln -s /etc/passwd "$RUNLINK_ARTIFACTS/link"',
        },
      ]),
    );
    const files = run.files.map(({ path, type, content }) => [path, type, content.toString()]);
    expect(files.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      ['empty.txt', 'text/plain', ''],
      ['shots/a.png', 'image/png', 'png'],
    ]);
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('adds what its model uses to what it used before, turn by turn', async () => {
    const bench = await openBench();
    await bench.start();
    const used = { total_tokens: 12, model_token_usage: [{ model_id: 'm', total_tokens: 12 }] };
    const run = bench.fake([{ usage: 30 }, { say: 'x' }], { used });
    await bench.ended(run);
    const sum = { ...used, total_tokens: 42 };
    expect(run.completed[0]?.usage).toEqual(sum);
    expect(run.events.find((event) => event.type === 'usage')?.usage).toEqual(sum);
  });

  it('of a script that lies in a directory which the sandbox hides can still be started', async () => {
    const file = join(temporaryDirectory(), 'agent.sh');
    writeFileSync(file, 'echo here');
    const bench = await openBench();
    const command = ['/bin/sh', file];
    await bench.start({ harnesses: { own: { agent: 'exec', command, variables: [] } } });
    const config = { harness: { type: 'own' } };
    const run = bench.service.offer(bench.lease({ prompt: 'task', config }));
    await bench.ended(run);
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'here' });
  });

  it('of an operator’s own command has its lines as messages and its exit code as verdict', async () => {
    const bench = await openBench();
    const exec = (command: string) => ({
      agent: 'exec' as const,
      command: ['/bin/sh', '-c', command],
      variables: [],
    });
    await bench.start({
      harnesses: {
        good: exec('echo got: $(cat); echo bye'),
        bad: exec('echo no >&2; exit 4'),
        mute: exec('cat >/dev/null'),
      },
    });
    const offer = (type: string) =>
      bench.service.offer(bench.lease({ prompt: 'task', config: { harness: { type } } }));
    const [good, bad, mute] = [offer('good'), offer('bad'), offer('mute')];
    for (const run of [good, bad, mute]) await bench.ended(run);
    expect(good.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'got: task\nbye' });
    expect(bad.completed[0]).toMatchObject({ state: 'ERROR', error_code: 'agent_process_failed' });
    expect(bad.completed[0]?.message).toMatch(/code 4[\s\S]*no/);
    expect(mute.completed[0]).toMatchObject({ state: 'ERROR' });
  });

  it('of an operator’s own command says what it goes without, and leaves no process when cancelled', async () => {
    const bench = await openBench();
    const command = ['/bin/sh', '-c', 'trap "" TERM INT; setsid sleep 100 & echo on; sleep 100'];
    await bench.start({ harnesses: { slow: { agent: 'exec', command } } });
    const mcp_servers = { tiny: { command: 'node' } };
    const config = { harness: { type: 'slow', reasoning_level: 'high' }, mcp_servers };
    const attachments = [{ file_name: 'a.png', mime_type: 'image/png', data: 'aGk=' }];
    const run = bench.service.offer(bench.lease({ config, attachments }));
    await expect.poll(() => textOf(run.events), { timeout: 60_000 }).toBe('on\n');
    const notices = run.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices).toEqual([
      '"slow" works without the MCP servers: it speaks no protocol.',
      '"slow" works without the reasoning level: its command decides.',
      '"slow" works without the images: it speaks no protocol.',
    ]);
    bench.service.signal(run, { id: 1, type: 'cancel' });
    await bench.ended(run);
    expect(run.completed[0]).toMatchObject({ state: 'CANCELLED' });
    await expect.poll(() => bench.processesOf(run), { timeout: 60_000 }).toEqual([]);
  });
});

describe('a turn that is stopped (run-lifecycle.md, "Interrupts")', () => {
  const stop = (id: number) =>
    ({
      id,
      type: 'followup',
      followup_id: `f${id}`,
      message: 'Stop.',
      mode: 'normal',
      interrupt: true,
    }) as const;
  const followup = (id: number, message: string) => ({ ...stop(id), message, interrupt: false });

  it('ends, and the run with a question where nothing was said meanwhile', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([{ say: 'on it' }, { wait: true }]);
    await expect.poll(() => textOf(run.events), { timeout: 60_000 }).toContain('on it');
    bench.service.signal(run, stop(1));
    await bench.ended(run);
    expect(run.completed).toMatchObject([
      { state: 'BLOCKED', message: 'The turn was stopped. Say how to go on.', last_signal: 1 },
    ]);
  });

  it('is followed by what was said before and after, each in a turn of its own', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([{ say: 'on it' }, { wait: true }]);
    await expect.poll(() => textOf(run.events), { timeout: 60_000 }).toContain('on it');
    bench.service.signal(run, followup(1, 'the first'));
    bench.service.signal(run, stop(2));
    await expect.poll(() => textOf(run.events), { timeout: 60_000 }).toContain('the first');
    await bench.ended(run);
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED', last_signal: 2 }]);
  });

  it('is a process that is ended, where the agent is a command; the next turn is another', async () => {
    const bench = await openBench();
    const command = [
      '/bin/sh',
      '-c',
      'read line; echo "got $line"; test "$line" = again || sleep 100',
    ];
    await bench.start({ harnesses: { own: { agent: 'exec', command, variables: [] } } });
    const run = bench.service.offer(
      bench.lease({ prompt: 'task', config: { harness: { type: 'own' } } }),
    );
    await expect.poll(() => textOf(run.events), { timeout: 60_000 }).toContain('got task');
    bench.service.signal(run, followup(1, 'again\n'));
    bench.service.signal(run, stop(2));
    await bench.ended(run);
    expect(textOf(run.events)).toContain('got again');
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED', last_signal: 2 }]);
  });
});

describe('a worker without room', () => {
  it('says that it is there, and takes nothing', async () => {
    const bench = await openBench();
    await bench.start({ capacity: 1, presenceMs: 20 });
    const run = bench.fake([{ hang: true }]);
    await vi.waitFor(() => expect(run.state).toBe('INPROGRESS'), 20_000);
    const other = bench.fake([]);
    await vi.waitFor(() => expect(bench.service.claims.at(-1)?.capacity).toBe(0), 20_000);
    expect(bench.service.claims.at(-1)).toMatchObject({ slots: 1, harnesses: ['demo', 'fake'] });
    expect(other.state).toBe('QUEUED');
  });
});

describe('what a worker keeps', () => {
  it('goes when its time is up or the disk is needed, oldest first, never what is under way', async () => {
    const runs = temporaryDirectory();
    const mirrors = temporaryDirectory();
    const make = async (id: string, hoursAgo: number, active = false): Promise<string> => {
      const dir = join(runs, id);
      mkdirSync(join(dir, 'workspace'), { recursive: true });
      writeFileSync(join(dir, 'workspace/data'), Buffer.alloc(1_000_000, 1));
      const used_at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
      await writeRunFile(dir, {
        ...newRunFile(id),
        used_at,
        ...(active ? { lease: { token: 't', attempt: 1 } } : {}),
      });
      return dir;
    };
    const [old, middle, fresh, active] = await Promise.all([
      make('old', 30),
      make('middle', 5),
      make('fresh', 1),
      make('active', 99, true),
    ]);
    const keep = {
      ...DEFAULT_KEEP,
      workspaceMs: 24 * 3_600_000,
      diskBytes: 2_500_000,
      freeBytes: 0,
    };
    const { sandbox } = await chooseIsolation({});
    const context: Partial<WorkerContext> = {
      runs,
      mirrors,
      snapshots: join(runs, '../snapshots'),
      keep,
      log: silentLog,
      sandbox,
      view: machineView(),
      unseen: [],
      limits: DEFAULT_LIMITS,
    };
    await keepHouse(context as WorkerContext, () => false);
    expect([old, middle, fresh, active].map((dir) => existsSync(dir ?? ''))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('the doctor', () => {
  it('says which agents are usable, and what to do about the others', async () => {
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'gemini'), '#!/bin/sh\necho nothing is set up >&2\n', { mode: 0o755 });
    const { agents, git, sandbox } = await diagnose({
      environment: { PATH: bin, GEMINI_API_KEY: 'k' },
      defaultHarness: 'demo',
      harnesses: { mine: { agent: 'exec', command: ['/bin/true'], variables: [] } },
    });
    const usable = agents.filter((agent) => agent.usable).map(({ name }) => name);
    expect(usable.toSorted()).toEqual(['demo', 'mine']);
    expect(agents.find(({ name }) => name === 'gemini')?.problems.join(' ')).toMatch(
      /does not start in the sandbox[\s\S]*read_only[\s\S]*nothing is set up/,
    );
    expect(sandbox.view.readOnly.map(({ at }) => at)).toContain('/usr');
    expect(agents.find(({ name }) => name === 'codex')?.problems.join(' ')).toMatch(
      /npm install[\s\S]*OPENAI_API_KEY/,
    );
    expect(agents.find(({ isDefault }) => isDefault)?.name).toBe('demo');
    expect(git).toMatch(/^git version/);
    expect(sandbox.driver).toBe('bwrap');
  });
});
