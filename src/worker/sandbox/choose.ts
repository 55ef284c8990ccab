import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { errorMessage } from '../../base/error.ts';
import type { ContainerEngine } from '../../config/sandbox.ts';
import { StderrTail } from '../agent/stderr-tail.ts';
import { DEFAULT_LIMITS, type WorkerOptions } from '../worker-options.ts';
import { bwrapSandbox } from './bwrap.ts';
import { findCgroups, type Cgroups } from './cgroup.ts';
import { BARE, type Confinement } from './confinement.ts';
import { containerSandbox, userOf } from './container.ts';
import { directSandbox } from './direct.ts';
import { findEngine } from './engine.ts';
import { machineView } from './machine-view.ts';
import { findProgram } from './program-view.ts';
import type { Sandbox } from './sandbox.ts';
import { POD, sidecarSandbox } from './sidecar.ts';

/** Why no agent but the demo may be run here, and what to do about it. */
export interface NoIsolation {
  problem: string;
  remedy: string;
}

export interface Isolation {
  sandbox: Sandbox;
  /** Present where nothing isolates although the operator wants it: agents that are not ours are refused. */
  refusal: NoIsolation | undefined;
}

const UNPROTECTED =
  'or run agents unprotected with `sandbox: {driver: direct}` in runlink.yaml or --sandbox direct.';
const REMEDIES = {
  bwrap: `Install bubblewrap (apt-get install bubblewrap) and let this user make namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor profile for bwrap), use containers with \`sandbox: {driver: container}\`, ${UNPROTECTED}`,
  container: `Install podman (apt-get install podman) or docker, start its service and let this user use it (\`podman info\` or \`docker info\` says whether it answers; podman without root needs uidmap and ranges of ids: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER), ${UNPROTECTED}`,
  sidecar: `Start the worker in a pod as deploy/kubernetes/overlays/keda has it, choose another sandbox, ${UNPROTECTED}`,
};

const PROBE_MS = 60_000;
/** Where the programs that isolate are looked for. */
const PLACES = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin';

/**
 * The driver that the operator wants, found by trying it. Where it does not work nothing takes its
 * place: what comes back then is for the demo agent alone, which runs no model's words.
 */
export async function chooseIsolation({
  sandbox: wanted = 'bwrap',
  engine,
  dataDir = '',
  limits,
  pod = POD,
  stopStart,
}: Partial<
  Pick<WorkerOptions, 'sandbox' | 'engine' | 'dataDir' | 'limits' | 'pod' | 'stopStart'>
>): Promise<Isolation> {
  const groups = await findCgroups();
  const prlimit = findProgram('prlimit', PLACES);
  const unprotected = directSandbox({ prlimit }, groups);
  if (wanted === 'direct') return { sandbox: unprotected, refusal: undefined };
  const tries = {
    bwrap: () => tryBwrap(prlimit, groups),
    container: () =>
      tryContainers(engine, {
        owner: dataDir,
        pullMs: limits?.pullMs ?? DEFAULT_LIMITS.pullMs,
        quick: (user) => tryBwrap(prlimit, groups, user),
      }),
    sidecar: () => sidecarSandbox(pod, join(dataDir, 'runs'), stopStart).catch(errorMessage),
  };
  const tried = await tries[wanted]();
  if (typeof tried !== 'string') return { sandbox: tried, refusal: undefined };
  const problem = `The sandbox ${wanted} does not work here: ${tried}.`;
  return { sandbox: unprotected, refusal: { problem, remedy: REMEDIES[wanted] } };
}

/** The sandbox, or why it cannot keep a program apart here. */
async function tryBwrap(
  prlimit: string | undefined,
  groups: Cgroups | undefined,
  user = PROBE.user,
): Promise<Sandbox | string> {
  const bwrap = findProgram('bwrap', PLACES);
  if (bwrap === undefined) return 'it is not installed';
  const setpriv = findProgram('setpriv', PLACES);
  const sandbox = bwrapSandbox({ bwrap, prlimit, setpriv }, groups);
  return (await whyNot(sandbox, { ...PROBE, user })) ?? sandbox;
}

/** Why a program that succeeds where it is kept apart did not; undefined where it did. */
async function whyNot(sandbox: Sandbox, probe: Confinement): Promise<string | undefined> {
  try {
    const child = await sandbox.spawn(probe);
    child.stdin.end();
    const stderr = new StderrTail(child.stderr);
    const limit = setTimeout(() => void child.destroy(), PROBE_MS);
    const { code, summary } = await child.exited;
    clearTimeout(limit);
    void child.destroy();
    return code === 0 ? undefined : stderr.explain(summary);
  } catch (error) {
    return errorMessage(error);
  }
}

/** The same for containers, with every limit that runs have. */
async function tryContainers(
  engine: ContainerEngine | undefined,
  options: {
    owner: string;
    pullMs: number;
    quick: (user: Confinement['user']) => Promise<Sandbox | string>;
  },
): Promise<Sandbox | string> {
  try {
    const found = await findEngine(engine);
    const user = userOf(found);
    const quick = await options.quick(user);
    const sandbox = containerSandbox(found, {
      ...options,
      quick: typeof quick === 'string' ? undefined : quick,
    });
    return (await whyNot(sandbox, { ...PROBE, user, limits: DEFAULT_LIMITS })) ?? sandbox;
  } catch (error) {
    return errorMessage(error);
  }
}

/** Succeeds where homes are really out of sight and the system out of reach. */
const HOLDS = 'test ! -e /home && test ! -e /root && test ! -w /usr';

const PROBE: Confinement = {
  ...BARE,
  ...machineView(),
  command: ['/bin/sh', '-c', HOLDS],
  user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  processMarker: randomUUID(),
};
