import { createHash, randomUUID } from 'node:crypto';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTrial } from '../../src/worker/doctor/trial.ts';
import { readRunFile } from '../../src/worker/lease/run-file.ts';
import { logStep, type RunContext } from '../../src/worker/run/run-context.ts';
import {
  containerSandbox,
  engineArguments,
  runArguments,
} from '../../src/worker/sandbox/container.ts';
import { readAbout } from '../../src/worker/sandbox/engine.ts';
import { ContainerImages } from '../../src/worker/sandbox/images.ts';
import { chooseIsolation } from '../../src/worker/sandbox/choose.ts';
import { BARE, type Confinement } from '../../src/worker/sandbox/confinement.ts';
import { assertKept, type ConfinedProcess } from '../../src/worker/sandbox/sandbox.ts';
import { DEFAULT_LIMITS } from '../../src/worker/worker-options.ts';
import { machineView } from '../../src/worker/sandbox/machine-view.ts';
import {
  BARE_IMAGE,
  HOSTILE_IMAGE,
  IMAGE,
  makeImage,
  podman,
  prepareContainers,
} from '../support/containers.ts';
import { skipWaits } from '../support/skip-waits.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { environmentOf, openBench, temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES } from '../support/worker-remote.ts';
import type { ServedRun } from '../support/worker-protocol.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const missing = await prepareContainers();
if (missing !== undefined) process.stderr.write(`No container is made here: ${missing}\n`);

/** Of a test with real containers, beside other work on a machine of two cores. */
const SLOW = 300_000;

const outputOf = ({ events }: ServedRun): string =>
  events.map((event) => ('output_delta' in event ? event.output_delta : '')).join('');

it.skipIf(missing !== undefined)(
  'a run works in its environment’s image, and nothing of it is left in the end',
  async () => {
    const bench = await openBench();
    await bench.start({ sandbox: 'container' });
    const commands = [
      'id -u; cat setup.txt; ls -d /home /root /usr/share; cat /proc/net/dev | wc -l; head -1 /proc/1/cmdline',
      'echo "$VALUE $PATH"; touch /usr/x /x; grep -E "CapEff|NoNewPrivs" /proc/self/status',
      'echo more > more.txt; git add more.txt; git commit -qm More; echo art > "$RUNLINK_ARTIFACTS/a.txt"',
    ];
    const environment = environmentOf(bench, {
      image: IMAGE,
      setup_commands: ['echo made > setup.txt'],
      variables: { VALUE: 'of-the-operator' },
    });
    const steps = commands.map((shell) => ({ shell }));
    const run = bench.fake([...steps, { wait: true }], environment);
    await expect.poll(() => run.events.length, { timeout: 100_000 }).toBeGreaterThan(9);
    const file = await readRunFile(join(bench.dataDir, 'runs', run.lease.run_id));
    const label = `label=dev.runlink.run=${file?.process_marker}`;
    const [container = ''] = (await podman('ps', '--quiet', '--filter', label)).split('\n');
    const inspected = await podman('inspect', container);
    bench.service.signal(run, { id: 1, type: 'cancel' });
    await bench.ended(run, 100_000);
    expect(run.completed.at(-1)).toMatchObject({ state: 'CANCELLED' });
    const output = outputOf(run);
    expect(output).toMatch(/^64321\nmade\n3\n/);
    expect(output).toContain('/run/podman-init');
    // The worker masks what the operator gave; the image's own PATH holds.
    expect(output).toMatch(/\*\*\* \/usr\/local\/sbin/);
    expect(output).toMatch(/CapEff:\s*0{16}\nNoNewPrivs:\s*1/);
    // What the run was given stands in no list that others may read.
    expect(inspected).not.toContain('of-the-operator');
    expect(inspected).not.toContain(run.lease.run_key);
    expect(await podman('ps', '--all', '--quiet', '--filter', label)).toBe('');
  },
  SLOW,
);

it.skipIf(missing !== undefined || !isLong)(
  'an image that is not there, one without glibc, one without a shell, and too little memory end the run with what to do',
  async () => {
    const bench = await openBench();
    await bench.start({ sandbox: 'container', limits: { memoryBytes: 500_000_000 } });
    const hungry = bench.fake(
      [{ say: 'never' }],
      environmentOf(bench, {
        image: IMAGE,
        setup_commands: ['x=$(head -c 900000000 /dev/zero | tr "\\0" x)'],
      }),
    );
    const shellless = 'localhost/runlink-test:without-a-shell';
    await makeImage(shellless, ['id']);
    const [gone, bare, mute] = ['localhost:1/nobody/nothing:1', BARE_IMAGE, shellless].map(
      (image) =>
        bench.fake([{ say: 'never' }], environmentOf(bench, { image, setup_commands: ['id'] })),
    ) as [ServedRun, ServedRun, ServedRun];
    for (const run of [gone, bare, mute, hungry]) await bench.ended(run);
    expect(gone.completed.at(-1)?.message).toMatch(
      /nothing:1 could not be pulled[\s\S]*refused[\s\S]*registry was not reached/,
    );
    expect(bare.completed.at(-1)?.message).toMatch(/needs glibc[\s\S]*musl[\s\S]*Debian/);
    expect(mute.completed.at(-1)?.message).toMatch(
      /"\/bin\/sh" could not be started[^]*shell: take/,
    );
    expect(hungry.completed.at(-1)?.message).toMatch(
      /ran out of memory[^]*need less, for instance/,
    );
    expect(hungry.completed.at(-1)?.message).not.toContain('network');
    for (const { completed } of [gone, bare, mute, hungry])
      expect(completed.at(-1)?.error_code).toBe('environment_setup_failed');
  },
  SLOW,
);

it.skipIf(missing !== undefined || !isLong)(
  'what an image says of itself changes nothing of how its runs are kept (threats.md S25)',
  async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:password@proxy.example.org');
    const bench = await openBench();
    await bench.start({ sandbox: 'container' });
    const command = [
      'id -u; env | grep -iE "preload|node_options|proxy|^RUN_MARKER|^HOME"',
      'echo x > /volume/x; grep -c " /volume " /proc/mounts; cat /etc/passwd; pwd; ls -l /runlink',
    ].join('; ');
    const run = bench.fake(
      [{ shell: command }, { say: 'done' }],
      environmentOf(bench, { image: HOSTILE_IMAGE }),
    );
    await bench.ended(run, 100_000);
    const dir = join(bench.dataDir, 'runs', run.lease.run_id);
    const file = await readRunFile(dir);
    expect(outputOf(run).split('\n').slice(0, -2)).toEqual([
      '64321',
      'HOME=/agent/home',
      `RUN_MARKER=${file?.process_marker}`,
      '0',
      'agent:x:64321:64321:agent:/nonexistent:/bin/sh',
      '/agent/workspace/demo',
    ]);
    expect(await podman('volume', 'ls', '--quiet')).toBe('');
    // Whoever else uses an image has the labels that it was given.
    const label = createHash('sha256').update(bench.dataDir).digest('hex').slice(0, 16);
    const forged = ['--network=none', `--label=dev.runlink.worker=${label}`, '--entrypoint=sleep'];
    const theirs = await podman('run', '--detach', ...forged, HOSTILE_IMAGE, '100');
    await bench.start({ sandbox: 'container' });
    expect(await podman('ps', '--quiet', '--no-trunc')).toBe(theirs);
    await podman('rm', '--force', '--time=0', theirs);
  },
  SLOW,
);

it.skipIf(missing !== undefined || !isLong)(
  'a worker that is killed leaves containers that its successor ends, and a run that it goes on with',
  async () => {
    const bench = await openBench();
    const options = {
      baseUrl: bench.service.baseUrl,
      apiKey: 'rl_worker_key_of_the_test',
      dataDir: bench.dataDir,
      sandbox: 'container',
      harnesses: FAKE_HARNESSES,
      allowInsecureRemotes: true,
    };
    const program = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url));
    const killed = spawn(process.execPath, [program], {
      env: { ...cleanEnvironment(), WORKER_OPTIONS: JSON.stringify(options) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void killed.kill('SIGKILL'));
    const steps = [{ shell: 'echo turn >> turns; cat turns' }, { wait: true as const }];
    const run = bench.fake(steps, environmentOf(bench, { image: IMAGE }));
    await expect.poll(() => outputOf(run), { timeout: 100_000 }).toBe('turn\n');
    const file = await readRunFile(join(bench.dataDir, 'runs', run.lease.run_id));
    const list = [
      'ps',
      '--all',
      '--quiet',
      '--filter',
      `label=dev.runlink.run=${file?.process_marker}`,
    ];
    const orphans = (await podman(...list)).split('\n');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await bench.start({ sandbox: 'container' });
    await expect.poll(() => outputOf(run), { timeout: 100_000 }).toBe('turn\nturn\nturn\n');
    const now = (await podman(...list)).split('\n');
    expect(orphans.filter((id) => now.includes(id))).toEqual([]);
    bench.service.signal(run, { id: 1, type: 'cancel' });
    await bench.ended(run, 100_000);
    expect(run.completed).toMatchObject([{ state: 'CANCELLED' }]);
    expect(await podman(...list)).toBe('');
  },
  SLOW,
);

it.skipIf(missing !== undefined)(
  'a container is there before its program may begin, and gone where it may not',
  async () => {
    const dataDir = temporaryDirectory();
    const { sandbox } = await chooseIsolation({ sandbox: 'container', dataDir });
    expect(sandbox.name).toBe('container');
    const confinement: Confinement = {
      ...BARE,
      ...machineView(),
      command: [
        '/bin/sh',
        '-c',
        'id -u; grep CapPrm /proc/self/status; echo x > /tmp/x && cat /tmp/x',
      ],
      env: { PATH: '/usr/bin:/bin' },
      user: sandbox.user,
      limits: DEFAULT_LIMITS,
      processMarker: 'held',
    };
    const said = async (child: ConfinedProcess): Promise<string> => {
      child.stdin.end();
      const words = await text(child.stdout);
      await child.destroy();
      return words;
    };
    const running = (): Promise<string> =>
      podman('ps', '--quiet', '--filter=label=dev.runlink.run=held', '--filter=status=running');
    const gate = Promise.withResolvers<void>();
    const starting = sandbox.spawn(confinement, gate.promise);
    await expect.poll(running, { timeout: 100_000 }).not.toBe('');
    gate.resolve();
    const asContainer = await said(await starting);
    expect(asContainer).toBe(`${sandbox.user.uid}\nCapPrm:\t0000000000000000\nx\n`);
    const never = Promise.reject(new Error('the workspace could not be made'));
    never.catch(() => undefined);
    await expect(sandbox.spawn(confinement, never)).rejects.toThrow('could not be made');
    expect(await podman('ps', '--all', '--quiet', '--filter=label=dev.runlink.run=held')).toBe('');
    // What is done before an agent was there needs no container, and has the same user and rights.
    const { quick = sandbox } = sandbox;
    expect(await said(await quick.spawn(confinement))).toBe(asContainer);
    await using trial = await openTrial(sandbox, { environment: {} });
    expect(await trial.git()).toMatch(/^git version/);
    const owner = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
    const left = ['ps', '--all', '--quiet', `--filter=label=dev.runlink.worker=${owner}`];
    await expect.poll(() => podman(...left), { timeout: 100_000 }).toBe('');
  },
  SLOW,
);

it.skipIf(missing !== undefined || !isLong || spawnSync('docker', ['--version']).status !== 0)(
  'the command line of docker does the same, by its API',
  async () => {
    const socket = join(temporaryDirectory(), 'engine');
    const serve = async (): Promise<ChildProcess> => {
      rmSync(socket, { force: true });
      const api = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`]);
      onTestFinished(() => void api.kill());
      await expect.poll(() => existsSync(socket), { timeout: 100_000 }).toBe(true);
      return api;
    };
    vi.stubEnv('DOCKER_HOST', `unix://${socket}`);
    const api = await serve();
    const bench = await openBench();
    const worker = await bench.start({ sandbox: 'container', engine: 'docker' });
    expect(worker.sandbox).toBe('container');
    const change = environmentOf(bench, { image: IMAGE, setup_commands: ['echo made > set-up'] });
    const steps = [{ shell: 'id -u; cat set-up; exit 3' }];
    const [done, stopped] = [
      bench.fake(steps, change),
      bench.fake([...steps, { hang: true }], change),
    ];
    await expect.poll(() => outputOf(stopped), { timeout: 100_000 }).toBe('64321\nmade\n');
    bench.service.signal(stopped, { id: 1, type: 'cancel' });
    for (const run of [done, stopped]) await bench.ended(run, 100_000);
    expect([done, stopped].map(({ state }) => state)).toEqual(['SUCCEEDED', 'CANCELLED']);
    expect(outputOf(done)).toBe('64321\nmade\n');
    const containers = async (): Promise<string[]> =>
      (await podman('ps', '--all', '--quiet', '--filter=label=dev.runlink.run'))
        .split('\n')
        .filter(Boolean);
    expect(await containers()).toEqual([]);
    // An engine that is gone in the middle ends what it has, which may be tried again.
    const working = bench.fake([...steps, { hang: true }], change);
    await expect.poll(() => outputOf(working), { timeout: 100_000 }).toBe('64321\nmade\n');
    const endless = environmentOf(bench, { image: IMAGE, setup_commands: ['sleep 1000'] });
    const settingUp = bench.fake(steps, endless);
    await expect.poll(async () => (await containers()).length, { timeout: 100_000 }).toBe(3);
    api.kill('SIGKILL');
    for (const run of [working, settingUp]) {
      await bench.ended(run);
      expect(run.completed.at(-1)).toMatchObject({
        state: 'ERROR',
        error_code: 'resource_unavailable',
        retryable: true,
      });
    }
    await serve();
    await expect.poll(containers, { timeout: 100_000 }).toEqual([]);
  },
  SLOW,
);

describe('an image that is pulled', () => {
  /** An engine that does not have it and pulls like this. */
  function imagesOf(pull: string, limitMs = 60_000, marker: string = randomUUID()) {
    const program = join(temporaryDirectory(), 'engine');
    writeFileSync(program, `#!/bin/sh\n${pull}\n`, { mode: 0o755 });
    let calls = 0;
    const call = async (): Promise<string> => (calls++ === 0 ? '' : 'its-id');
    const engine = { name: 'podman', program, rootless: true, unbounded: [], call } as const;
    const pulls = { limitMs, dir: join(temporaryDirectory(), 'pulls'), marker };
    return new ContainerImages(engine, pulls, async () => undefined);
  }

  it('says how far it is, and is there for all who wait for it', async () => {
    const gate = join(temporaryDirectory(), 'gate');
    const blob = `head -c 1500000 /dev/zero > $TMPDIR/1; echo Copying blob sha256:${'0f'.repeat(32)}`;
    const images = imagesOf(`${blob}; while [ ! -e ${gate} ]; do sleep 0.05; done`);
    const [one, other] = [images.take('an/image'), images.take('an/image')];
    expect(one).toBe(other);
    const come = '1.5 MB came so far. Copying blob sha256:0f0f0f0f0f0f';
    await expect.poll(() => one.progress()).toBe(come);
    expect(one.pulls()).toBe(true);
    writeFileSync(gate, '');
    expect(await one.ready).toBe('its-id');
    expect(one.pulls()).toBe(false);
  });

  it('ends with the registry’s own last word, what a full disk needs, or a bound of time', async () => {
    const denied = imagesOf(
      'echo "try 1 failed" >&2; echo "Error: unauthorized: no access" >&2; exit 125',
    );
    await expect(denied.take('an/image').ready).rejects.toMatchObject({
      code: 'image_failed',
      message: 'The image an/image could not be pulled: Error: unauthorized: no access',
      hint: expect.stringContaining('podman login') as string,
    });
    const hints: Record<string, RegExp> = {
      'write: no space left on device': /Make room.*podman system prune/,
      'short-name "node" did not resolve to an alias': /whole name.*docker\.io\/library/,
      'x509: certificate signed by unknown authority': /trust the certificate/,
      'http: server gave HTTP response to HTTPS client': /insecure one to podman/,
      'net/http: TLS handshake timeout': /was not reached.*HTTPS_PROXY/,
      'dial tcp: lookup nowhere.example: no such host': /was not reached/,
      'no image found in manifest list for architecture amd64, variant "", OS linux': /processor/,
      'no matching manifest for linux/amd64 in the manifest list entries': /processor/,
      'toomanyrequests: You have reached your pull rate limit': /later.*podman login/,
    };
    for (const [said, hint] of Object.entries(hints))
      await expect(
        imagesOf(`echo 'Error: ${said}' >&2; exit 125`).take('an/image').ready,
      ).rejects.toMatchObject({ hint: expect.stringMatching(hint) as string });
    const deaf = imagesOf('echo Copying; sleep 1000 & sleep 1000', 200);
    await expect(deaf.take('an/image').ready).rejects.toMatchObject({
      message: expect.stringMatching(/did not send all of it within 0\.2s\. /) as string,
      hint: expect.stringMatching(/podman pull an\/image.*pull_time.*HTTPS_PROXY/) as string,
    });
  });

  it('is said to have ended also where its run was cancelled', async () => {
    const stop = new AbortController();
    const said: object[] = [];
    const events = { emit: async (drafts: object[]) => void said.push(...drafts) };
    const step = logStep({ stop, events } as unknown as RunContext, 'image', 'It', async (tell) => {
      await tell('It is being pulled.');
      stop.abort();
      throw new Error('The run was cancelled.');
    });
    await expect(step).rejects.toThrow('cancelled');
    const ended = { title: 'It', is_error: true, output: 'The run was cancelled.' };
    expect(said).toMatchObject([{ title: 'It is being pulled.' }, ended]);
  });

  it('is ended by a worker that follows on one that was killed', async () => {
    const marker = randomUUID();
    const pull = 'sleep 1000 & echo begun; sleep 1000';
    const left = imagesOf(pull, 60_000, marker).take('an/image');
    await expect.poll(() => left.progress()).toBe('begun');
    await Promise.all([
      expect(left.ready).rejects.toMatchObject({ code: 'image_failed' }),
      imagesOf('', 60_000, marker).endAll(),
    ]);
  });
});

it('a run with an image is not run without containers', async () => {
  const bench = await openBench();
  await bench.start({ sandbox: 'bwrap' });
  const run = bench.fake([{ say: 'never' }], environmentOf(bench, { image: IMAGE }));
  await bench.ended(run);
  expect(run.completed.at(-1)).toMatchObject({
    state: 'FAILED',
    message: expect.stringMatching(/keeps runs in bwrap[\s\S]*driver: container/) as string,
  });
});

it('what an engine cannot bound here is said, and whether it has root’s rights', () => {
  const gapsOf = (answer: string): string => {
    const engine = {
      ...readAbout(answer),
      name: 'podman',
      program: '',
      call: async () => '',
    } as const;
    return containerSandbox(engine, { owner: '', pullMs: 1 }).gaps.join('\n');
  };
  expect(gapsOf('true ["cpu","memory","pids"]')).toBe('');
  expect(gapsOf('true ["cpuset","memory","pids"]')).toMatch(/^no limit on cpu:.*version 2.*$/);
  expect(gapsOf('true []')).toContain('no limit on memory, pids, cpu:');
  expect(gapsOf('["name=seccomp"] "memory" "pids" "cpu"')).toMatch(/^podman runs with root.*$/);
  expect(gapsOf('["name=rootless"] "memory" "pids" "cpu"')).toBe('');
});

it('an engine that went away is said to have, and loses its container once it is back', async () => {
  const asked: string[] = [];
  const call = async ([verb = '']: readonly string[]): Promise<string> => {
    asked.push(verb);
    if (verb === 'image') return 'of-the-machine';
    if (asked.filter((each) => each === 'rm').length < 3)
      throw new Error(`docker ${verb}: Cannot connect to the Docker daemon`);
    return '';
  };
  const engine = { name: 'docker', program: '/bin/false', rootless: true, unbounded: [] } as const;
  const sandbox = containerSandbox({ ...engine, call }, { owner: '', pullMs: 1 });
  skipWaits();
  const child = await sandbox.spawn({
    ...BARE,
    command: ['agent'],
    user: sandbox.user,
    processMarker: 'away',
  });
  const exit = await child.exited;
  expect(exit.summary).toBe('docker did not answer while it was at work');
  expect(() => assertKept(exit)).toThrow(expect.objectContaining({ code: 'engine_failed' }));
  await child.destroy();
  await expect.poll(() => asked.filter((verb) => verb === 'rm')).toHaveLength(3);
});

it('what an image calls a volume is read-only, and in the way of none of a run’s own places', () => {
  const places = [{ path: '/data/x', at: '/agent/home' }];
  const volumes = ['/', '/data', '/tmp/', '/run', '/agent', '/agent/home', '/runlink', '/tmp/deep'];
  expect(engineArguments({ name: 'docker' }, volumes, places)).toEqual([
    '--mount=type=volume,target=/data,readonly',
    '--tmpfs=/agent:ro,mode=755,size=1m',
    '--tmpfs=/runlink:ro,mode=755,size=1m',
    '--mount=type=volume,target=/tmp/deep,readonly',
  ]);
});

it('a container is given no right, no network and no more of the machine than is listed', () => {
  const words = runArguments('name', 'worker', {
    ...machineView(),
    image: 'an/image:1',
    command: ['agent'],
    cwd: '/work',
    env: { SECRET: 'not in here' },
    user: { uid: 5, gid: 6 },
    writable: [{ path: '/data/run,1/workspace', at: '/agent/workspace' }],
    network: 'none',
    doors: [{ socket: '/tmp/s', port: 1 }],
    limits: { memoryBytes: 100, processes: 7, cpus: 1.5, fileBytes: 8 },
    processMarker: 'marker.part',
  });
  for (const word of [
    '--init',
    '--network=none',
    '--read-only',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--user=5:6',
    '--memory=100b',
    '--memory-swap=100b',
    '--pids-limit=7',
    '--cpus=1.5',
    '--ulimit=fsize=8:8',
    '--label=dev.runlink.run=marker',
    '--label=dev.runlink.worker=worker',
    '--pull=never',
    '--mount=type=bind,"source=/data/run,1/workspace",target=/agent/workspace',
    '--mount=type=bind,source=/tmp/s,target=/tmp/s,readonly',
  ])
    expect(words).toContain(word);
  const mounts = words.filter((word) => word.startsWith('--mount='));
  expect(mounts.filter((word) => !word.includes('readonly'))).toHaveLength(1);
  expect(words.join(' ')).not.toMatch(/SECRET|privileged=|docker\.sock|podman\.sock/);
  expect(existsSync('/runlink')).toBe(false);
});
