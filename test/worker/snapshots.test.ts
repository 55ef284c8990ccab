import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import type { Lease } from '../../src/contract/lease.ts';
import { createMasker } from '../../src/worker/log/mask.ts';
import { evictSnapshots, touchSnapshot } from '../../src/worker/snapshot/store.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';
import { IMAGE, prepareContainers } from '../support/containers.ts';
import { openBench, temporaryDirectory } from '../support/worker-bench.ts';
import { gitIn, makeRemote } from '../support/worker-remote.ts';
import type { ServedRun } from '../support/worker-protocol.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
// Each container costs seconds here, where podman copies the image for each.
const noContainers = LONG ? await prepareContainers() : 'only with RUNLINK_TEST_LONG=1';
if (noContainers !== undefined)
  process.stderr.write(`No container is made here: ${noContainers}\n`);

type Environment = NonNullable<Lease['environment']>;
/** Leaves what is different each time, in every place that lasts. */
const STAMP =
  'head -c 9 /dev/urandom | base64 > stamp; cp stamp "$HOME/stamp"; cp stamp "$RUNLINK_ARTIFACTS/"; pwd > where; echo "#!$PWD/stamp" > made.sh; chmod +x made.sh';

const outputOf = ({ events }: ServedRun): string =>
  events.map((event) => ('output_delta' in event ? event.output_delta : '')).join('');
const stepsOf = ({ events }: ServedRun): string[] =>
  events.flatMap((event) => (event.type === 'setup' && !event.is_error ? [event.step] : []));
const noticesOf = ({ events }: ServedRun): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));

async function openScene(options: Partial<WorkerOptions> = {}, shared: Partial<Environment> = {}) {
  const bench = await openBench();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  await bench.start({ log: createLog('worker', { level: 'warn', destination }), ...options });
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`The worker:\n${lines.join('')}`);
  });
  const remote = makeRemote(temporaryDirectory());
  /** Runs in the same environment but for what changes; answers what its set-up left. */
  const run = async (
    change: Partial<Environment> = {},
    lease: Partial<Lease> = {},
    shell = 'true',
  ) => {
    const { environment } = bench.lease({}, remote);
    if (!environment) throw new Error('the bench makes an environment');
    const all = {
      ...environment,
      pull_request: false,
      setup_commands: [STAMP],
      ...shared,
      ...change,
    };
    const ended = await bench.ended(
      bench.fake([{ shell: 'cat stamp' }, { shell }, { say: 'done' }], {
        environment: all,
        ...lease,
      }),
      60_000,
    );
    expect(ended.completed.at(-1)?.message).toBe('done');
    return { ended, stamp: outputOf(ended).split('\n')[0] ?? '', output: outputOf(ended) };
  };
  const kept = (): string[] => readdirSync(join(bench.dataDir, 'snapshots'));
  return { ...bench, remote, run, kept };
}

describe.each(['bwrap', 'container'] as const)('what set-up commands left in %s', (sandbox) => {
  it.skipIf(sandbox === 'container' && noContainers !== undefined)(
    'is there at once in the next run, which works on its own branch and pushes its own work alone',
    async () => {
      const image = sandbox === 'container' ? { image: IMAGE } : {};
      const { run, remote, kept } = await openScene({ sandbox }, { ...image, pull_request: true });
      const look =
        '[ -z "$(ls -A "$TMPDIR")" ] && cmp stamp "$HOME/stamp" && cmp stamp "$RUNLINK_ARTIFACTS/stamp" && [ "$(cat where)" = "$PWD" ] && [ -x made.sh ] && git branch && git reflog | grep -c First-title; echo work > work.txt';
      const first = await run({}, { title: 'First title' }, look);
      const second = await run({}, { title: 'Second title' }, look);
      expect(stepsOf(first.ended)).toContain('setup_command');
      expect(stepsOf(second.ended)).toContain('snapshot');
      expect(stepsOf(second.ended)).not.toContain('setup_command');
      expect(second.stamp).toBe(first.stamp);
      expect(second.output).toMatch(/^\S+\n {2}main\n\* runlink\/second-title-\w+\n0\n$/);
      for (const { ended } of [first, second]) {
        const branch = ended.completed.at(-1)?.branch ?? '';
        expect(gitIn(remote, 'diff', '--name-only', 'main', branch)).toBe('work.txt\n');
        expect(ended.files.map(({ path }) => path)).toEqual(['stamp']);
      }
      expect(kept()).toHaveLength(1);
    },
  );
});

describe('a snapshot of what set-up commands left', () => {
  it('is that of exactly this environment, repository, commit, variables, hosts and commands (threats.md S24)', async () => {
    const shims = temporaryDirectory();
    const PATH = `${process.env['PATH']}:${shims}`;
    const { run, remote } = await openScene({ environment: { ...process.env, PATH } });
    const first = await run();
    // What is on PATH and shown to no run makes no difference.
    writeFileSync(join(shims, 'program'), '');
    const all: Partial<Environment>[] = [
      { id: 'f'.repeat(22) },
      { setup_commands: [STAMP, 'true'] },
      { variables: { LEVEL: '1' } },
      { variables: { LEVEL: '2' } },
      { network: [] },
    ];
    const changes = LONG ? all : all.slice(0, 1);
    const others = [];
    for (const change of changes) others.push((await run(change)).stamp);
    expect((await run()).stamp).toBe(first.stamp);
    const work = temporaryDirectory();
    gitIn(work, 'clone', '--quiet', remote, '.');
    gitIn(work, 'commit', '--quiet', '--allow-empty', '-m', 'Next');
    gitIn(work, 'push', '--quiet');
    const next = await run();
    expect(new Set([first.stamp, ...others, next.stamp]).size).toBe(changes.length + 2);
    if (!LONG) return;
    expect((await run()).stamp).toBe(next.stamp);
    // Work that goes on in a run, or on somebody's pull request, begins from what it is.
    expect(stepsOf((await run({}, { attempt: 2, resume: {} })).ended)).toContain('setup_command');
  });

  it('is not kept where it holds a secret or the run’s own id, and the run says so (threats.md S24)', async () => {
    const { run, kept } = await openScene();
    const secret = 'npm_of-the-operator';
    const variables = { variables: { TOKEN: secret } };
    const commands = [
      'echo "//registry/:_authToken=$TOKEN" > "$HOME/.npmrc"',
      'printf "user:%s@x" "$TOKEN" | base64 -w0 > auth',
      'head -c 70000 /dev/zero > pad; printf "%s" "$TOKEN" >> pad',
      'echo "$RUNLINK_API_KEY" > "$RUNLINK_ARTIFACTS/key"',
      'echo "$RUNLINK_RUN_ID" > "$TMPDIR/id"',
    ];
    for (const command of LONG ? commands : commands.slice(1, 2)) {
      const { ended } = await run({ ...variables, setup_commands: [STAMP, command] });
      expect(noticesOf(ended)).toEqual([
        expect.stringMatching(/not kept for later runs: it wrote/),
      ]);
    }
    expect(kept()).toEqual([]);
  });

  it('is not made without isolation, nor by a worker of one run', async () => {
    for (const options of [{ sandbox: 'direct' as const }, ...(LONG ? [{ once: true }] : [])]) {
      const { run, kept } = await openScene(options);
      await run();
      expect(kept()).toEqual([]);
    }
  });

  it('that is half made or damaged is none, and is out of the way', async () => {
    const { run, kept, dataDir, start } = await openScene();
    const first = await run();
    const [name = ''] = kept();
    const snapshots = join(dataDir, 'snapshots');
    truncateSync(join(snapshots, name, 'files.tar'), 1000);
    execFileSync('cp', ['-R', join(snapshots, name), join(snapshots, `${name}.1.part`)]);
    const second = await run();
    expect(second.stamp).not.toBe(first.stamp);
    // Of the right size, but not what it was.
    const [again = ''] = kept().filter((each) => !each.endsWith('.part'));
    const archive = join(snapshots, again, 'files.tar');
    const { size } = statSync(archive);
    writeFileSync(archive, Buffer.alloc(size, 7));
    const third = await run();
    expect(stepsOf(third.ended)).toContain('setup_command');
    await start();
    await expect.poll(kept).not.toContainEqual(expect.stringContaining('.part'));
  });

  it('is not kept where it is too large, and the run says so', async () => {
    const { run, kept } = await openScene({ limits: { snapshotBytes: 200_000 } });
    const commands = [STAMP, 'head -c 300000 /dev/zero > "$HOME/large"'];
    const { ended } = await run({ setup_commands: commands });
    expect(noticesOf(ended)).toEqual([expect.stringMatching(/larger than 200000 bytes/)]);
    expect(kept()).toEqual([]);
  });

  it('goes when nobody used it for long, or when all take up too much, the longest unused first', async () => {
    const root = temporaryDirectory();
    for (const days of [1, 2, 3, 9]) {
      mkdirSync(join(root, `${days}`));
      writeFileSync(join(root, `${days}`, 'files.tar'), Buffer.alloc(1_000_000));
      const used = Date.now() / 1000 - days * 86_400;
      utimesSync(join(root, `${days}`), used, used);
    }
    await touchSnapshot(join(root, '3'));
    const left = await evictSnapshots(root, { bytes: 2_500_000, unusedMs: 5 * 86_400_000 });
    expect(readdirSync(root)).toEqual(['1', '3']);
    expect(left).toBeLessThan(2_500_000);
  });

  it('finds secrets across pieces and inside longer base64', () => {
    const masker = createMasker(['a secret that is long']);
    const found = (...pieces: string[]): boolean => {
      const find = masker.finder(['other-id']);
      return pieces.map((piece) => find(Buffer.from(piece))).some(Boolean);
    };
    expect(found('xx a secret th', 'at is', ' long yy')).toBe(true);
    for (const before of ['', 'u', 'us', 'use', 'user:'])
      expect(found(Buffer.from(`${before}a secret that is long@host`).toString('base64'))).toBe(
        true,
      );
    expect(found('other-', 'id')).toBe(true);
    expect(found('a secret that', ' was long')).toBe(false);
  });
});
