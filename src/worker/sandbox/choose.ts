import type { SandboxDriver } from '../../config/sandbox.ts';
import { bwrapArguments, bwrapSandbox } from './bwrap.ts';
import { findCgroups } from './cgroup.ts';
import type { Confinement } from './confinement.ts';
import { directSandbox } from './direct.ts';
import { machineView } from './machine-view.ts';
import { findProgram } from './program-view.ts';
import type { Sandbox } from './sandbox.ts';
import { tryTool } from './tools.ts';

/** Why no agent but the demo may be run here, and what to do about it. */
export interface Refusal {
  problem: string;
  remedy: string;
}

export interface Isolation {
  sandbox: Sandbox;
  /** Present where nothing isolates although the operator wants it: agents that are not ours are refused. */
  refusal: Refusal | undefined;
}

const REMEDY =
  'Install bubblewrap (apt-get install bubblewrap) and let this user make namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor profile for bwrap), or run agents unprotected with `sandbox: {driver: direct}` in runlink.yaml or --sandbox direct.';

/** Where the programs that isolate are looked for. */
const PLACES = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin';

/**
 * The driver that the operator wants, found by trying it. Where it does not work nothing takes its
 * place: what comes back then is for the demo agent alone, which runs no model's words.
 */
export async function chooseIsolation(wanted: SandboxDriver): Promise<Isolation> {
  const groups = await findCgroups();
  const prlimit = findProgram('prlimit', PLACES);
  const unprotected = directSandbox({ prlimit }, groups);
  if (wanted === 'direct') return { sandbox: unprotected, refusal: undefined };
  const bwrap = findProgram('bwrap', PLACES);
  const problem = bwrap === undefined ? 'it is not installed' : await whyNot(bwrap);
  if (bwrap !== undefined && problem === undefined)
    return { sandbox: bwrapSandbox({ bwrap, prlimit }, groups), refusal: undefined };
  const refusal = { problem: `The sandbox bwrap does not work here: ${problem}.`, remedy: REMEDY };
  return { sandbox: unprotected, refusal };
}

/** Why bubblewrap cannot keep a program apart here; undefined where it can. */
async function whyNot(bwrap: string): Promise<string | undefined> {
  return await tryTool([bwrap, ...bwrapArguments(PROBE), '/bin/sh', '-c', HOLDS]);
}

/** Succeeds where homes are really out of sight and the system out of reach. */
const HOLDS = 'test ! -e /home && test ! -e /root && test ! -w /usr';

const PROBE: Confinement = {
  ...machineView(),
  command: [],
  cwd: '/',
  env: {},
  user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  writable: [],
  scratch: ['/tmp', '/run'],
  network: 'none',
  modelSocket: undefined,
  limits: { memoryBytes: undefined, processes: undefined, cpus: undefined, fileBytes: undefined },
  cookie: '',
};
