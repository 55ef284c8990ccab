import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRunFile } from '../../src/worker/lease/run-file.ts';
import { runErrand } from '../../src/worker/run/errand.ts';
import type { WorkerContext } from '../../src/worker/run/run-context.ts';
import { chooseIsolation } from '../../src/worker/sandbox/choose.ts';
import { machineView } from '../../src/worker/sandbox/machine-view.ts';
import { DEFAULT_LIMITS, type WorkerOptions } from '../../src/worker/worker-options.ts';
import type { FakeStep } from '../support/fake-agent.ts';
import { openBench, SANDBOX, temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_AGENT, gitIn, makeRemote } from '../support/worker-remote.ts';
import type { ServedRun } from '../support/worker-protocol.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
/** An agent that settings are written for, played by the scripted one. */
const HARNESSES = {
  fake: { agent: 'opencode' as const, command: [process.execPath, FAKE_AGENT] },
};
const ENVIRONMENT = { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-of-the-operator' };

/**
 * A worker with a real sandbox, and an agent that does its worst in the clone of its repository.
 */
async function openAttack(options: Partial<WorkerOptions> = {}) {
  const bench = await openBench();
  await bench.start({
    sandbox: SANDBOX,
    harnesses: HARNESSES,
    environment: ENVIRONMENT,
    ...options,
  });
  const remote = makeRemote(temporaryDirectory());
  const dirOf = ({ lease }: ServedRun): string => join(bench.dataDir, 'runs', lease.run_id);
  const run = (steps: FakeStep[], before?: ServedRun): Promise<ServedRun> => {
    const change = before && {
      run_id: before.lease.run_id,
      attempt: before.lease.attempt + 1,
      resume: {},
    };
    return bench.ended(bench.fake([...steps, { say: 'done' }], change, remote));
  };
  return { ...bench, remote, run, dirOf };
}

const outputOf = ({ events }: ServedRun): string =>
  events.map((event) => (event.type === 'tool_call' && event.output_delta) || '').join('');
/** Everything that anybody but the worker is told of a run. */
const told = ({ events, completed, files }: ServedRun): string =>
  JSON.stringify({ events, completed, files: files.map(({ content }) => content.toString()) });
const refused = (reason: RegExp) => [
  expect.objectContaining({ state: 'ERROR', message: expect.stringMatching(reason) }),
];

it('an errand ends at once where its run is cancelled while the sandbox is being made', async () => {
  const { sandbox } = await chooseIsolation({});
  const cancel = new AbortController();
  const spawn: typeof sandbox.spawn = async (confinement) => {
    const child = await sandbox.spawn(confinement);
    cancel.abort(new Error('cancelled'));
    return child;
  };
  const worker: Partial<WorkerContext> = {
    sandbox: { ...sandbox, spawn },
    view: machineView(),
    unseen: [],
    limits: DEFAULT_LIMITS,
  };
  const looking = runErrand(worker as WorkerContext, 'marker', {
    name: 'try',
    command: ['/bin/sleep', '1000'],
    writable: [],
    signal: cancel.signal,
  });
  await expect(looking).rejects.toThrow('cancelled');
});

describe('an agent that prepares its directories (threats.md S15)', () => {
  it('has nothing emptied or filled through a link in place of its clone', async () => {
    const { run, dirOf, remote } = await openAttack();
    const victim = temporaryDirectory();
    writeFileSync(join(victim, 'authorized_keys'), 'ours');
    const attack = async (target: string): Promise<void> => {
      const first = await run([
        { shell: `cd .. && mv demo gone && ln -s ${target} demo && touch ../home/kept` },
      ]);
      expect(first.completed).toEqual(refused(/The repository is gone/));
      const dir = dirOf(first);
      expect(lstatSync(join(dir, 'workspace/demo')).isSymbolicLink()).toBe(true);
      const next = await run([{ write: 'new.txt', text: 'x' }], first);
      expect(next.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
      expect(lstatSync(join(dir, 'workspace/demo')).isDirectory()).toBe(true);
      expect(readdirSync(join(dir, 'artifacts'))).toEqual([]);
      expect(readdirSync(join(dir, 'home'))).toContain('kept');
      expect(gitIn(remote, 'show', `${next.completed[0]?.branch}:new.txt`)).toBe('x');
    };
    const targets = ['../artifacts', ...(LONG ? [victim, '../home', '/tmp'] : [])];
    await Promise.all(targets.map(attack));
    expect(readdirSync(victim)).toEqual(['authorized_keys']);
    expect(readFileSync(join(victim, 'authorized_keys'), 'utf8')).toBe('ours');
  });

  it('has no settings written through a link, nor can it write those it is given', async () => {
    const { run, dirOf } = await openAttack();
    const victim = join(temporaryDirectory(), 'victim');
    writeFileSync(victim, 'ours');
    const names = 'GEMINI.md AGENTS.md settings.json models.json instructions.md config.toml';
    const first = await run([
      {
        shell: `for n in ${names}; do for d in . .codex .gemini .pi/agent .config/opencode; do mkdir -p "$HOME/$d"; ln -sfn ${victim} "$HOME/$d/$n"; done; done`,
      },
    ]);
    expect(first.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    const given = join(dirOf(first), 'given');
    const second = await run(
      [
        {
          shell:
            'cd /agent/given; cat instructions.md; echo x >> instructions.md || echo refused; rm -r /agent/given || echo refused; touch new || echo refused',
        },
      ],
      first,
    );
    expect(second.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(outputOf(second)).toMatch(/You work unattended[\s\S]*refused\nrefused\nrefused\n$/);
    expect(readFileSync(victim, 'utf8')).toBe('ours');
    expect(readdirSync(given)).toEqual(['instructions.md']);
    expect(readFileSync(join(given, 'instructions.md'), 'utf8')).not.toMatch(/x\n$/);
  });

  it('gets at no other repository, nor does it make the worker wait or unpack without end', async () => {
    const limits = { errandMs: 10_000, resultBytes: 1_000_000 };
    const { run, dirOf, dataDir, remote, service } = await openAttack({ limits });
    await run([]);
    const [mirror = ''] = readdirSync(join(dataDir, 'mirrors'));
    const theirs = join(dataDir, 'mirrors', mirror);
    const secret = gitIn(theirs, 'commit-tree', '-m', 'SECRET HISTORY', 'main^{tree}').trim();
    const before = gitIn(remote, 'for-each-ref');
    const ways = [
      `echo ${theirs}/objects > .git/objects/info/alternates; echo ${secret} > .git/refs/heads/mine; echo 'ref: refs/heads/mine' > .git/HEAD`,
      `rm -r .git && ln -s ${theirs} .git`,
      'head -c 5000000 /dev/zero > zeros; git add zeros',
      ...(LONG
        ? [
            `echo ${theirs} > .git/commondir`,
            `rm -r .git && printf 'gitdir: ${theirs}\\n' > .git`,
            'rm .git/HEAD && mkfifo .git/HEAD',
          ]
        : []),
    ];
    const attack = async (shell: string): Promise<void> => {
      const found = await run([{ shell }]);
      const reason =
        /git \S+ failed|is gone|took too long|larger than 1000000 bytes|does not go on/;
      expect(found.completed).toEqual(refused(reason));
      expect(told(found)).not.toContain('SECRET');
      // What it left is there for the operator to look at.
      expect(existsSync(join(dirOf(found), 'workspace/demo'))).toBe(true);
    };
    await Promise.all(ways.map(attack));
    expect(service.pulls).toEqual([]);
    expect(gitIn(remote, 'for-each-ref')).toBe(before);
  });

  it('hands out no file of another run, or that the sandbox hides', async () => {
    const { run, dirOf, dataDir } = await openAttack();
    const other = await run([{ write: 'secret.txt', text: 'SECRET OF ANOTHER RUN' }]);
    writeFileSync(join(dataDir, 'owner.key'), 'SECRET KEY');
    const attack = async (target: string): Promise<void> => {
      const found = await run([
        {
          shell: `ln -s ${target} "$RUNLINK_ARTIFACTS/out"; ln -s ${target}/owner.key "$RUNLINK_ARTIFACTS/key"; mkfifo "$RUNLINK_ARTIFACTS/pipe"; cd .. && rm -rf demo && ln -s ${target} demo; cat demo/secret.txt demo/owner.key`,
        },
      ]);
      expect(found.completed).toEqual(refused(/is gone/));
      expect(told(found)).not.toContain('SECRET');
      expect(found.files).toEqual([]);
    };
    const targets = [`${dirOf(other)}/workspace/demo`, dataDir, ...(LONG ? ['/etc', '/root'] : [])];
    await Promise.all(targets.map(attack));
  });

  it('is looked into from a sandbox without a network or anything else of the worker’s', async () => {
    const { sandbox } = await chooseIsolation({});
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'workspace'));
    writeFileSync(join(dir, 'run.json'), 'SECRET');
    const worker: Partial<WorkerContext> = {
      sandbox,
      view: machineView(),
      unseen: [dir],
      limits: DEFAULT_LIMITS,
    };
    const said = await runErrand(worker as WorkerContext, 'marker', {
      name: 'try',
      command: ['/bin/sh', '-c', `ls -A ${dir}; env | grep -i vitest; readlink /proc/self/ns/net`],
      writable: [join(dir, 'workspace')],
      signal: new AbortController().signal,
    });
    const [seen, network] = said.split('\n');
    expect(seen).toBe('workspace');
    expect(network).toMatch(/^net:/);
    expect(network).not.toBe(readlinkSync('/proc/self/ns/net'));
  });

  it('is not followed out of its directories when they are deleted', async () => {
    const { run, dirOf, dataDir, start } = await openAttack({ keep: { workspaceMs: 0 } });
    const victim = temporaryDirectory();
    mkdirSync(join(victim, 'kept'));
    const found = await run([
      {
        shell: `ln -s ${victim} "$HOME/out"; ln -s ${dataDir}/mirrors ../mirrors; mkdir ../locked && touch ../locked/in && chmod 0 ../locked`,
      },
    ]);
    const held = async () => (await readRunFile(dirOf(found)))?.lease !== undefined;
    await expect.poll(held, { timeout: 60_000 }).toBe(false);
    await start({ sandbox: SANDBOX, keep: { workspaceMs: 0 } });
    await expect.poll(() => existsSync(dirOf(found)), { timeout: 60_000 }).toBe(false);
    expect(readdirSync(victim)).toEqual(['kept']);
    expect(readdirSync(join(dataDir, 'mirrors'))).toHaveLength(1);
  });
});

describe('what an agent sees (threats.md S16)', () => {
  it('is its list: no key, no home, no socket, nothing of the worker’s or of another run', async () => {
    const { run, dataDir, dirOf } = await openAttack();
    writeFileSync(join(dataDir, 'owner.key'), 'SECRET');
    const socket = join('/run', `runlink-test-${process.pid}.sock`);
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close(() => rmSync(socket, { force: true })));
    const other = await run([]);
    const hidden = [
      `${dataDir}/owner.key`,
      `${dataDir}/mirrors`,
      dirOf(other),
      `${dirOf(other)}/run.json`,
      '/root',
      '/home',
      '/var/lib',
      '/srv',
      '/mnt',
      '/etc/shadow',
      '/etc/ssh',
      '/etc/sudoers',
      socket,
      process.cwd() + '/package-lock.json',
    ];
    const found = await run([
      {
        shell: `for f in ${hidden.join(' ')} ../../run.json; do [ -e "$f" ] && echo "sees $f"; done; cat /etc/passwd; ls /dev/shm /run`,
      },
    ]);
    // An engine has a program of its own in there, to reap what is left.
    expect(outputOf(found).replace('podman-init\n', '')).toMatch(
      /^(root:x:0:0:root|agent:x:\d+:\d+:agent):\/nonexistent:\/bin\/sh\n\/dev\/shm:\n\n\/run:\n$/,
    );
  });
});
