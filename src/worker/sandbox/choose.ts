import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { errorMessage, isDiskFull } from '../../base/error.ts';
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

/** Why only the demo agent may run here, and what to do about it. */
export interface NoIsolation {
  problem: string;
  remedy: string;
}

export interface Isolation {
  sandbox: Sandbox;
  /**
   * Set if the operator wants isolation but nothing here provides it; then agents other than ours
   * are refused.
   */
  refusal: NoIsolation | undefined;
}

const UNPROTECTED =
  'or run agents unprotected with `sandbox: {driver: direct}` in runlink.yaml or --sandbox direct.';
const REMEDIES = {
  bwrap: `Install bubblewrap (apt-get install bubblewrap) and let this user make namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor profile for bwrap), use containers with \`sandbox: {driver: container}\`, ${UNPROTECTED}`,
  container: `Install podman (apt-get install podman) or docker, start its service and let this user use it (\`podman info\` or \`docker info\` says whether it answers; podman without root needs uidmap and ranges of ids: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER; under systemd also deploy/systemd/rootless-podman.conf), ${UNPROTECTED}`,
  sidecar: `Start the worker in a pod as deploy/kubernetes/overlays/keda has it, choose another sandbox, ${UNPROTECTED}`,
};

const ROOM = 'Make room on that disk and start the worker again.';

const PROBE_MS = 60_000;
/** Where the isolation tools are looked for. */
const PLACES = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin';

/**
 * Chooses the driver that the operator wants, by trying it. If it does not work, no other one
 * replaces it: the result is unprotected and only for the demo agent, which does nothing that a
 * model says.
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
  const remedy = isDiskFull(tried) ? ROOM : REMEDIES[wanted];
  return { sandbox: unprotected, refusal: { problem, remedy } };
}

/** The sandbox, or why it does not isolate here. */
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

/** Why the probe, which succeeds inside a working sandbox, failed; undefined if it succeeded. */
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

/** The same for containers, tried with all limits that runs have. */
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

/** Succeeds if home directories are invisible and the system is read-only. */
const HOLDS = 'test ! -e /home && test ! -e /root && test ! -w /usr';

const PROBE: Confinement = {
  ...BARE,
  ...machineView(),
  command: ['/bin/sh', '-c', HOLDS],
  user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  processMarker: randomUUID(),
};
