import { hash, randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, RunlinkError } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';
import { StderrTail } from '../agent/stderr-tail.ts';
import { BARE, SCRATCH, type Confinement, type Link } from './confinement.ts';
import { MARKER_VARIABLE, kill, killRun } from './process-marker.ts';
import type { Engine } from './engine.ts';
import { ContainerImages } from './images.ts';
import { ownProgram } from './own-program.ts';
import { CARRIED, carriedProgram } from './program-view.ts';
import { assertKept, endOf, type ConfinedProcess, type Exit, type Sandbox } from './sandbox.ts';
import { tryTool } from './tools.ts';
import { joinViews } from './view.ts';

/** Label with the worker that a container belongs to. */
const WORKER_LABEL = 'dev.runlink.worker';
/** Label with the run's marker, without the part after the dot. */
const RUN_LABEL = 'dev.runlink.run';
/** Prefix of our containers' names: a label alone could come from an image. */
const NAME = 'runlink-';
const SCRATCH_OPTIONS = 'rw,exec,nosuid,nodev,mode=1777,size=1g';
/** A user id that nobody on the machine has, so no file outside belongs to it. */
const RUN_USER = 64_321;
/** Time for the first container of an image; an engine without layers copies all of it. */
const START_MS = 10 * 60_000;
const REMOVAL_MS = 30_000;
const REMOVAL_ROUND_MS = 100;
const AWAY_ROUND_MS = 5000;

/**
 * Sandbox by containers: each program of a run gets its own, from the run's image or with the
 * machine's own programs.
 */
export function containerSandbox(
  engine: Engine,
  { owner, pullMs, quick }: { owner: string; pullMs: number } & Pick<Sandbox, 'quick'>,
): Sandbox {
  const label = hash('sha256', owner).slice(0, 16);
  const removeAll = async (filter: string): Promise<number> => {
    const list = ['ps', '--all', '--quiet', `--filter=name=^${NAME}`, `--filter=label=${filter}`];
    const ids = (await engine.call(list)).split('\n').filter(Boolean);
    if (ids.length === 0) return 0;
    await remove(engine, ids);
    return (await engine.call(list)).split('\n').filter(Boolean).length;
  };
  const machine = onceFor((links: readonly Link[]) => machineImage(engine, links));
  const volumes = onceFor((image: string) => volumesOf(engine, image));
  const pulls = { limitMs: pullMs, dir: join(owner, 'pulls'), marker: `pull-${label}` };
  const start: Sandbox['spawn'] = async (confinement, held) => {
    const image = confinement.image ?? (await machine(confinement.links));
    const own = engineArguments(
      engine,
      confinement.image ? await volumes(image) : [],
      confinement.writable,
    );
    const name = `${NAME}${randomUUID()}`;
    const args = runArguments(name, label, { ...confinement, image }, own);
    return await startContainer(engine, { name, args, confinement, held });
  };
  const images = new ContainerImages(engine, pulls, (id, image) =>
    assertStarts(start, { id, image }, userOf(engine)),
  );
  return {
    name: 'container',
    canCutNetwork: true,
    gaps: engineGaps(engine),
    user: userOf(engine),
    tool: carriedProgram,
    images,
    quick,
    spawn: start,
    endRun: async (marker) => {
      const left = await removeAll(`${RUN_LABEL}=${marker}`).catch(() => 1);
      return left + (await killRun(marker));
    },
    endAll: async () => {
      await images.endAll();
      await removeAll(`${WORKER_LABEL}=${label}`);
    },
  };
}

function engineGaps({ name, rootless, unbounded }: Engine): string[] {
  // Access to the socket of a rootful engine is as good as root.
  const rights = `${name} runs with root\u2019s rights: whoever may use it, such as this worker, holds root on this machine (rootless ${name} gives none); no run sees its socket`;
  const limits = `no limit on ${unbounded.join(', ')}: ${name} has no control groups for that here; without root it needs version 2 of them, delegated to its user`;
  return [...(rootless ? [] : [rights]), ...(unbounded.length > 0 ? [limits] : [])];
}

/**
 * The user that programs run as. With a rootless engine, root inside is the worker's user outside,
 * who owns the run's directories. With a rootful engine it is the worker's user, or one of our own
 * if that is root.
 */
export function userOf({ rootless }: Engine): Confinement['user'] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (rootless) return { uid: 0, gid: 0 };
  return uid === 0 ? { uid: RUN_USER, gid: RUN_USER } : { uid, gid };
}

/**
 * The arguments for `run`: a container with nothing but its image and what the confinement names.
 */
export function runArguments(
  name: string,
  worker: string,
  confinement: Confinement & { image: string },
  ofEngine: readonly string[] = [],
): string[] {
  const { user, limits, doors, writable, readOnly, processMarker: marker, image } = confinement;
  const { memoryBytes, processes, cpus, fileBytes } = limits;
  const enter = ownProgram({ tool: carriedProgram }, 'enter');
  const order = { command: confinement.command, doors, environment: 'on stdin' };
  const [program, ...args] = [...enter.command, JSON.stringify(order)];
  const shown = [
    ...joinViews({ readOnly, links: [] }, enter.view).readOnly,
    ...doors.map(({ socket }) => ({ path: socket, at: socket })),
  ].toSorted((a, b) => a.at.length - b.at.length);
  return [
    ['run', '--interactive', '--init', '--pull=never', '--log-driver=none', '--no-healthcheck'],
    [`--name=${name}`, `--label=${WORKER_LABEL}=${worker}`],
    [`--label=${RUN_LABEL}=${marker.split('.')[0]}`],
    ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
    [`--user=${user.uid}:${user.gid}`, `--workdir=${confinement.cwd}`, '--stop-timeout=0'],
    confinement.network === 'none' ? ['--network=none'] : [],
    memoryBytes === undefined ? [] : [`--memory=${memoryBytes}b`, `--memory-swap=${memoryBytes}b`],
    processes === undefined ? [] : [`--pids-limit=${processes}`],
    cpus === undefined ? [] : [`--cpus=${cpus}`],
    ['--ulimit=core=0:0'],
    fileBytes === undefined ? [] : [`--ulimit=fsize=${fileBytes}:${fileBytes}`],
    SCRATCH.map((dir) => `--tmpfs=${dir}:${SCRATCH_OPTIONS}`),
    shown.map(({ path, at }) => mount(path, at, true)),
    writable.map(({ path, at }) => mount(path, at, false)),
    NOT_THE_IMAGES.map((variable) => `--env=${variable}=`),
    ofEngine,
    [`--entrypoint=${program}`, image],
    args,
  ].flat();
}

/** Variables of an image that would change how our own programs start, or where they connect. */
const NOT_THE_IMAGES = [
  'LD_PRELOAD',
  'LD_AUDIT',
  'NODE_OPTIONS',
  'NODE_PATH',
  MARKER_VARIABLE,
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [
    name,
    name.toUpperCase(),
  ]),
];

/**
 * Docker would turn an image's volumes into directories on disk without a size limit, so they are
 * mounted read-only. A volume that is one of the run's own places becomes that place; one that
 * contains such a place is left empty.
 */
export function engineArguments(
  { name }: Pick<Engine, 'name'>,
  volumes: readonly string[],
  writable: Confinement['writable'],
): string[] {
  // By default podman passes on the worker's proxy variables, with their passwords.
  if (name === 'podman') return ['--image-volume=ignore', '--http-proxy=false'];
  const own = [...SCRATCH, CARRIED, ...writable.map(({ at }) => at)];
  return (
    volumes
      .map((at) => normalize(`${at}/`).slice(0, -1))
      // The root directory cannot be a volume; engines refuse that.
      .filter((at) => at !== '' && (!own.includes(at) || at === CARRIED))
      .map((at) =>
        own.some((place) => `${place}/`.startsWith(`${at}/`))
          ? `--tmpfs=${at}:ro,mode=755,size=1m`
          : `--mount=${fields('type=volume', `target=${at}`, 'readonly')}`,
      )
  );
}

async function volumesOf(engine: Engine, image: string): Promise<string[]> {
  if (engine.name === 'podman') return [];
  const said = await engine.call(['image', 'inspect', '--format={{json .Config.Volumes}}', image]);
  return Object.keys((JSON.parse(said) as object | null) ?? {});
}

/** The format of both engines: fields that contain commas are quoted. */
function mount(from: string, to: string, readOnly: boolean): string {
  const mode = readOnly ? ['readonly'] : [];
  return `--mount=${fields('type=bind', `source=${from}`, `target=${to}`, ...mode)}`;
}

function fields(...all: string[]): string {
  const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;
  return all.map((field) => (/[",]/.test(field) ? quoted(field) : field)).join(',');
}

async function startContainer(
  engine: Engine,
  {
    name,
    args,
    confinement,
    held,
  }: {
    name: string;
    args: string[];
    confinement: Confinement;
    held: Promise<unknown> | undefined;
  },
): Promise<ConfinedProcess> {
  // The engine's client runs with the operator's environment and gets nothing from the run.
  const child = spawn(engine.program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new RunlinkError('agent_start_failed', `"${engine.program}" could not be started.`, {
      cause,
    });
  }
  const { pid, stdin, stdout, stderr } = child;
  // A broken pipe shows as the process's end; the stream's error adds nothing.
  stdin.on('error', () => undefined);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const exited = ended.then(async (exit) => ({ ...exit, ...(await judge(engine, name, exit)) }));
  const isGone = (): Promise<boolean> =>
    Promise.race([exited.then(() => true), sleep(REMOVAL_ROUND_MS).then(() => false)]);
  const end = async (): Promise<void> => {
    const until = performance.now() + REMOVAL_MS;
    // A container that is removed before it exists would still be created, so repeat until the
    // client is gone.
    do await remove(engine, [name]);
    while (!(await isGone()) && performance.now() < until);
    if (child.exitCode === null && pid !== undefined) kill(-pid);
    await exited;
    if (!(await remove(engine, [name]))) void removeAtLast(engine, name);
  };
  let ending: Promise<void> | undefined;
  const destroy = (): Promise<void> => (ending ??= end());
  try {
    await held;
  } catch (error) {
    await destroy();
    throw error;
  }
  // The container is started by now and waits for this line.
  const env = { ...confinement.env, [MARKER_VARIABLE]: confinement.processMarker };
  stdin.write(`${JSON.stringify(env)}\n`);
  return { stdin, stdout, stderr, exited, destroy };
}

/** What both engines say about a container that does not exist. */
const GONE = /no such container|no container with/i;

/** Kills and removes containers; missing ones are no error. Returns whether the engine did it. */
async function remove(engine: Engine, names: readonly string[]): Promise<boolean> {
  return await engine.call(['rm', '--force', '--volumes', ...names]).then(
    () => true,
    (error: unknown) => GONE.test(errorMessage(error)),
  );
}

/** Keeps trying to remove a container until the engine is back. */
async function removeAtLast(engine: Engine, name: string): Promise<void> {
  do await delay(AWAY_ROUND_MS, undefined, { ref: false });
  while (!(await remove(engine, [name])));
}

/** Exit codes by which the engine reports that nothing was started. */
const ENGINE_CODES: ReadonlySet<number | null> = new Set([125, 126, 127]);
/** With this code it may also have lost a program that it had started. */
const ENGINE_FAILED = 125;

async function judge(
  engine: Engine,
  name: string,
  { code, signal }: { code: number | null; signal: NodeJS.Signals | null },
): Promise<Pick<Exit, 'summary' | 'isLost'>> {
  const found = await look(engine, name);
  const isUnended = found?.code !== undefined && found.code !== code && found.said === '';
  if (!found || (isUnended && code === ENGINE_FAILED))
    return { summary: `${engine.name} did not answer while it was at work`, isLost: true };
  if (found.ranOutOfMemory) return { summary: 'its processes ran out of memory' };
  if (found.said !== '' || (found.code === undefined && ENGINE_CODES.has(code))) {
    const said = found.said && `: ${found.said}`;
    return { summary: `its container could not be started (code ${code})${said}` };
  }
  return { summary: endOf(code, signal) };
}

/**
 * The engine's state of a container, without a code if the container is gone; undefined if the
 * engine does not answer.
 */
async function look(engine: Engine, name: string) {
  const format = '{{.State.OOMKilled}} {{.State.ExitCode}} {{.State.Error}}';
  const state = await engine
    .call(['inspect', '--type=container', `--format=${format}`, name])
    .catch((error: unknown) => (GONE.test(errorMessage(error)) ? '' : undefined));
  if (state === undefined) return undefined;
  const [, ranOut, code, said = ''] = /^(\S+) (\d+) ?(.*)$/s.exec(state) ?? [];
  return { ranOutOfMemory: ranOut === 'true', code: code && Number(code), said };
}

/**
 * Throws `image_unusable` if the worker's own Node does not start in the image. It needs the
 * image's glibc and libstdc++, and places of its own.
 */
async function assertStarts(
  start: Sandbox['spawn'],
  { id, image }: { id: string; image: string },
  user: Confinement['user'],
): Promise<void> {
  const { command } = carriedProgram([process.execPath, '--version'], '');
  const child = await start({ ...BARE, image: id, command, user, processMarker: 'image' });
  child.stdin.end();
  const stderr = new StderrTail(child.stderr);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    void child.destroy();
  }, START_MS);
  const exit = await child.exited;
  clearTimeout(limit);
  void child.destroy();
  if (exit.code === 0) return;
  if (isLate)
    throw new RunlinkError(
      'engine_failed',
      `The engine started no container of ${image} in time.`,
      {
        hint: 'Start one by hand, as the worker\u2019s user: it says what the engine waits for.',
      },
    );
  assertKept(exit);
  throw new RunlinkError(
    'image_unusable',
    `The worker\u2019s Node does not start in the image ${image}: ${stderr.explain(exit.summary)}`,
    {
      hint: `An image needs glibc 2.28 or newer and libstdc++ for this machine\u2019s processor (${process.arch}). Alpine has musl instead: take the variant of the image that is made from Debian, Ubuntu or Fedora, such as node:24-slim for node:24-alpine. At /runlink, /agent, /tmp and /run it may have no file and no link of its own.`,
    },
  );
}

/**
 * Makes an image that contains only links, for the worker machine's own programs; all else is
 * mounted. It has no link at `/sbin`, because engines put their `init` there.
 */
async function machineImage(engine: Engine, links: readonly Link[]): Promise<string> {
  const made = links.filter(({ at }) => at !== '/sbin');
  const digest = hash('sha256', JSON.stringify(made)).slice(0, 16);
  const image = `runlink-machine:${digest}`;
  const known = await engine.call(['image', 'inspect', '--format={{.Id}}', image]).catch(() => '');
  if (known !== '') return image;
  const dir = await mkdtemp(join(tmpdir(), 'runlink-machine-'));
  try {
    await mkdir(join(dir, 'root/sbin'), { recursive: true });
    for (const { at, to } of made) {
      await mkdir(dirname(join(dir, 'root', at)), { recursive: true });
      await symlink(to, join(dir, 'root', at));
    }
    const archive = join(dir, 'root.tar');
    // Whatever the worker's umask is, the run's user has to get in.
    await tryTool(['chmod', '-R', 'a+rX', join(dir, 'root')]);
    const problem = await tryTool(['tar', '-cf', archive, '-C', join(dir, 'root'), '.']);
    if (problem !== undefined) throw new RunlinkError('engine_failed', `tar: ${problem}`);
    await engine.call(['import', archive, image]);
    return image;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Makes each thing once; a failure is tried again. */
function onceFor<A, T>(make: (argument: A) => Promise<T>): (argument: A) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (argument) => {
    const key = JSON.stringify(argument);
    const known = made.get(key);
    if (known) return known;
    const fresh = make(argument);
    made.set(key, fresh);
    fresh.catch(() => made.delete(key));
    return fresh;
  };
}
