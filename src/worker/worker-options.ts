import type { Log } from '../base/log.ts';
import type { HarnessSettings } from '../config/harness.ts';
import type { ContainerEngine, SandboxDriver } from '../config/sandbox.ts';
import type { Github } from '../github/read/octokit.ts';
import type { Limits, Network } from './sandbox/confinement.ts';
import type { Pod } from './sandbox/sidecar.ts';

/** Limits of one execution; undefined means no limit. */
export interface RunLimits extends Limits {
  /** From the start of an execution, preparation included, to its end. */
  wallClockMs: number;
  /** Longest silence of an agent, once its workspace is ready. */
  idleMs: number;
  /** How long an agent may take to end its turn when asked, before it is killed. */
  cancelGraceMs: number;
  /** Time to pull a container image. */
  pullMs: number;
  /** Time for one set-up command. */
  setupMs: number;
  /** Everything a run keeps on disk, and also each repository's mirror. */
  workspaceBytes: number;
  /** Largest set-up that is kept for later runs. */
  snapshotBytes: number;
  /** All new objects of one clone at the end of an execution, unpacked. */
  resultBytes: number;
  /**
   * Time for one command in directories that an agent may write, such as making a clone or reading
   * the result.
   */
  errandMs: number;
  /** Tokens per execution; at this number the run ends with `budget_exceeded`. */
  budgetTokens: number | undefined;
}

/** How long a worker keeps data, and how much of it. */
export interface Keep {
  /** How long a workspace is kept after its run, for a follow-up. */
  workspaceMs: number;
  /** How long the result of a set-up is kept after its last use. */
  snapshotMs: number;
  /** All kept set-ups together. */
  snapshotBytes: number;
  /** All workspaces, mirrors and snapshots together; the longest unused are removed first. */
  diskBytes: number;
  /** Data is also removed while the disk has less free space than this. */
  freeBytes: number;
}

export interface WorkerOptions {
  /** The service's URL, with the version segment. */
  baseUrl: string;
  /** A worker key. */
  apiKey: string;
  /** Directory for mirrors, workspaces and what must survive a restart; created if absent. */
  dataDir: string;
  /** Takes only runs that name this host; if absent, runs of the service's own pool. */
  workerHost?: string | undefined;
  /** Takes only runs of the environment with this name or id. */
  onlyEnvironment?: string | undefined;
  /**
   * Takes one run and no more. It waits for that run at most `waitMs`, or for ever if that is
   * absent.
   */
  once?: boolean | undefined;
  waitMs?: number | undefined;
  /** More directories that no run may see, such as the service's own data. */
  unseen?: readonly string[] | undefined;
  /** How many runs at once. Default: twice the cores, at most 8. */
  capacity?: number | undefined;
  /** How often a worker whose places are all taken reports that it is alive. Default: 20 s. */
  presenceMs?: number | undefined;
  harnesses?: Readonly<Record<string, HarnessSettings>> | undefined;
  /** Profile for runs that name none. */
  defaultHarness?: string | undefined;
  /** The worker's environment: PATH, model keys and the variables that profiles name. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Token for repositories that the service has none for; agents never see it. */
  gitToken?: string | undefined;
  /** Allows git remotes other than https and ssh. */
  allowInsecureRemotes?: boolean | undefined;
  /** Default: bwrap; if that does not work, only the demo agent runs. */
  sandbox?: SandboxDriver | undefined;
  /** Program that makes containers; if absent, the first that answers. */
  engine?: ContainerEngine | undefined;
  /** Where the containers of a pod share files; default: the places in deploy/kubernetes. */
  pod?: Pod | undefined;
  /** Aborts a start that waits for others, such as the pod's containers. */
  stopStart?: AbortSignal | undefined;
  /** Further files and directories that runs see. */
  readOnly?: readonly string[] | undefined;
  network?: Network | undefined;
  limits?: Partial<RunLimits> | undefined;
  keep?: Partial<Keep> | undefined;
  /** Whether the worker has the process for itself; then it returns memory while idle. */
  alone?: boolean | undefined;
  /** Whether to use http_proxy and the other proxy variables. */
  useProxy?: boolean | undefined;
  version?: string | undefined;
  /** Makes the client for pull requests; default: a plain Octokit. */
  github?: ((access: { token: string; apiUrl: string }) => Promise<Github>) | undefined;
  log: Log;
}

const MINUTE_MS = 60_000;
const GIB = 1024 ** 3;

export const DEFAULT_LIMITS: RunLimits = {
  wallClockMs: 24 * 60 * MINUTE_MS,
  // opencode retries a failing model silently for ever (agents.md, "Failing models"), so silence
  // must end.
  idleMs: 30 * MINUTE_MS,
  // All five agents stop within a second (agents.md, "Stopping an agent").
  cancelGraceMs: 5000,
  pullMs: 15 * MINUTE_MS,
  setupMs: 30 * MINUTE_MS,
  workspaceBytes: 10 * GIB,
  snapshotBytes: 2 * GIB,
  resultBytes: 2 * GIB,
  errandMs: 30 * MINUTE_MS,
  budgetTokens: undefined,
  memoryBytes: 8 * GIB,
  processes: 4096,
  cpus: undefined,
  fileBytes: 16 * GIB,
};

export const DEFAULT_KEEP: Keep = {
  workspaceMs: 24 * 60 * MINUTE_MS,
  snapshotMs: 7 * 24 * 60 * MINUTE_MS,
  snapshotBytes: 5 * GIB,
  diskBytes: 20 * GIB,
  freeBytes: GIB,
};
