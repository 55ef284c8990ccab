import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sidecarSandbox, type Pod } from '../../src/worker/sandbox/sidecar.ts';
import {
  environmentOf,
  openBench,
  temporaryDirectory,
  type Bench,
} from '../support/worker-bench.ts';
import type { ServedRun } from '../support/worker-protocol.ts';
import { makeRemote } from '../support/worker-remote.ts';

const HOST = resolve(import.meta.dirname, '../../src/worker/inside/host.ts');
const NAMES = ['agent', 'errands'] as const;
const RUN = ['workspace', 'home', 'artifacts', 'tmp'];

function makePod(): Pod {
  const dir = temporaryDirectory();
  const pod = { sockets: join(dir, 'sockets'), run: join(dir, 'run') };
  for (const name of NAMES) mkdirSync(join(pod.sockets, name), { recursive: true });
  for (const name of [...RUN, 'given']) mkdirSync(join(pod.run, name), { recursive: true });
  return pod;
}

/**
 * As a container of the pod sees it: bubblewrap is its first process, and this machine its image.
 */
function startContainer(
  name: (typeof NAMES)[number],
  pod: Pod,
  { mirrors, env = {}, shared = false }: { mirrors?: string; env?: object; shared?: boolean } = {},
): ChildProcess {
  const shown = (option: string, paths: string[]) => paths.flatMap((path) => [option, path, path]);
  const places = [join(pod.sockets, name), join(pod.run, 'given'), ...(mirrors ? [mirrors] : [])];
  const words = [
    shared ? [] : ['--unshare-pid'],
    ['--die-with-parent', '--unshare-ipc', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    shown('--ro-bind', ['/usr', '/etc']),
    ['bin', 'lib', 'lib64'].flatMap((link) => ['--symlink', `usr/${link}`, `/${link}`]),
    ['--ro-bind', '/', '/runlink'],
    shown('--ro-bind', places),
    shown(
      '--bind',
      RUN.map((each) => join(pod.run, each)),
    ),
    ['--chdir', '/', `/runlink${realpathSync(process.execPath)}`, `/runlink${HOST}`],
    [join(pod.sockets, name, 'socket')],
  ].flat();
  const child = spawn('/usr/bin/env', ['bwrap', ...words], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function openPod(): Promise<{ bench: Bench; pod: Pod; agent: ChildProcess }> {
  const bench = await openBench();
  const pod = makePod();
  const mirrors = join(bench.dataDir, 'mirrors');
  mkdirSync(mirrors);
  const agent = startContainer('agent', pod, { env: { RUNLINK_POD_IMAGE: 'the/pods:1' } });
  startContainer('errands', pod, { mirrors });
  return { bench, pod, agent };
}

const start = ({ bench, pod }: { bench: Bench; pod: Pod }) =>
  bench.start({ sandbox: 'sidecar', once: true, pod });

const outputOf = ({ events }: ServedRun): string =>
  events.map((event) => ('output_delta' in event ? event.output_delta : '')).join('');

it('a run is carried out in containers beside the worker’s (threats.md S27)', async () => {
  const { bench, pod } = await openPod();
  const remote = makeRemote(bench.dataDir);
  const look = [
    'pwd; cat ../set-up',
    // What leads to the worker cannot be changed, and whoever knocks there twice gets nothing.
    `touch ${pod.sockets}/agent/x || rm -f ${pod.sockets}/agent/socket || echo kept`,
    `node -e 'require("net").connect("${pod.sockets}/agent/socket").on("close", () => console.log("shut"))'`,
    `ls ${pod.sockets} ${bench.dataDir} /proc/${process.pid} 2>&1 | cut -c1-300`,
  ].join('; ');
  const change = bench.lease({}, remote);
  const { environment } = change;
  const run = bench.fake(
    [{ shell: look }, { write: 'made.txt', text: 'by the agent\n' }],
    environment
      ? {
          environment: {
            ...environment,
            image: 'an/other:1',
            setup_commands: ['echo set up > ../set-up'],
          },
        }
      : {},
    remote,
  );
  const worker = await start({ bench, pod });
  await bench.ended(run);
  expect(run.completed).toMatchObject([
    { state: 'SUCCEEDED', pull_request_url: expect.anything() },
  ]);
  const said = outputOf(run);
  expect(said).toContain(`${pod.run}/workspace/demo\nset up\nkept\nshut\n`);
  expect(said).toContain(`${pod.sockets}:\nagent\n`);
  for (const path of [bench.dataDir, `/proc/${process.pid}`])
    expect(said).toContain(`ls: cannot access '${path}'`);
  expect(JSON.stringify(run.events)).toMatch(
    /names the image an\/other:1, and.* the\/pods:1: in a pod/,
  );
  await worker.over;
  expect(worker.verdict()).toBe('SUCCEEDED');
});

it('a run that may reach listed hosts only is refused with what to do, as its pod has one network', async () => {
  const { bench, pod } = await openPod();
  const run = bench.fake([{ say: 'never' }], environmentOf(bench, { network: ['example.org'] }));
  await start({ bench, pod });
  await bench.ended(run);
  expect(run.completed).toMatchObject([
    { state: 'FAILED', message: expect.stringMatching(/NetworkPolicy.*overlays\/workers/) },
  ]);
});

it('a worker that is told to end while a container of its pod is missing ends at once', async () => {
  const bench = await openBench();
  const told = new AbortController();
  const starting = bench.start({
    sandbox: 'sidecar',
    once: true,
    pod: makePod(),
    stopStart: told.signal,
  });
  told.abort(new Error('told to end'));
  await expect(starting).rejects.toThrow('told to end');
});

function isOurs(pid: string, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${marker}\0`;
  } catch {
    return false;
  }
}

it('a cancelled run leaves no process behind, however far it went', async () => {
  const { bench, pod, agent } = await openPod();
  const marker = `${process.pid}00.7`;
  const daemon = `setsid sh -c "trap : TERM; echo up; exec sleep ${marker}" & true`;
  const run = bench.fake([{ shell: daemon }, { hang: true }]);
  await start({ bench, pod });
  const inside = (): string[] => readdirSync('/proc').filter((pid) => isOurs(pid, marker));
  await vi.waitFor(() => expect(inside()).toHaveLength(1), 60_000);
  bench.service.signal(run, { id: 1, type: 'cancel' });
  await bench.ended(run);
  expect(run.completed).toMatchObject([{ state: 'CANCELLED' }]);
  expect(inside()).toEqual([]);
  expect(agent.exitCode).toBeNull();
});

it('an agent that ends its own container ends its run, with words', async () => {
  const { bench, pod } = await openPod();
  // In its container the process that drives it is the second.
  const run = bench.fake([{ shell: 'kill -9 2' }, { hang: true }]);
  await start({ bench, pod });
  await bench.ended(run);
  expect(run.completed).toMatchObject([
    { state: 'ERROR', message: expect.stringContaining('its container ended') },
  ]);
});

it('what keeps too little apart is not used', async () => {
  const pod = makePod();
  startContainer('agent', pod, { env: { RUNLINK_API_KEY: 'k' } });
  startContainer('errands', pod);
  await expect(sidecarSandbox(pod, '/nowhere')).rejects.toThrow(/has the worker’s key/);
  const other = makePod();
  startContainer('agent', other, { shared: true });
  startContainer('errands', other);
  await expect(sidecarSandbox(other, '/nowhere')).rejects.toThrow(/shares its processes/);
});
