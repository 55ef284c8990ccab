import type { Log } from '../base/log.ts';
import type { HarnessSettings } from '../config/harness.ts';
import type { ContainerEngine, SandboxDriver } from '../config/sandbox.ts';
import type { Github } from '../github/read/octokit.ts';
import type { Limits, Network } from './sandbox/confinement.ts';
import type { Pod } from './sandbox/sidecar.ts';

/** Limits of one execution; a value that is undefined is no limit. */
export interface RunLimits extends Limits {
  /** From the start of an execution, its preparation among it, to its end. */
  wallClockMs: number;
  /** Longest silence of an agent, once its workspace is there. */
  idleMs: number;
  /** How long an agent has to end its turn when asked to, before it is ended. */
  cancelGraceMs: number;
  /** Bringing a container image here. */
  pullMs: number;
  /** One set-up command. */
  setupMs: number;
  /** Everything a run keeps on disk, and each repository it works in. */
  workspaceBytes: number;
  /** What the set-up commands of a run leave, to be kept for later runs. */
  snapshotBytes: number;
  /** All that is new in one clone at the end of an execution, unpacked. */
  resultBytes: number;
  /** One thing that is done where an agent may write, such as a clone, or reading what came of it. */
  errandMs: number;
  /** Tokens of an execution; reaching it ends the run with `budget_exceeded`. */
  budgetTokens: number | undefined;
}

/** How long and how large what a worker keeps may become. */
export interface Keep {
  /** A workspace is kept this long after its run for a follow-up. */
  workspaceMs: number;
  /** What set-up commands left is kept so long after it was last used. */
  snapshotMs: number;
  /** All of that together. */
  snapshotBytes: number;
  /** All workspaces, mirrors and snapshots together; the longest unused go first. */
  diskBytes: number;
  /** The same happens while the disk has less room left than this. */
  freeBytes: number;
}

export interface WorkerOptions {
  /** The service, with the version segment. */
  baseUrl: string;
  /** A worker key. */
  apiKey: string;
  /** For mirrors, workspaces and what must survive a restart; made where absent. */
  dataDir: string;
  /** Takes only runs that name this host; without it, runs of the service's own pool. */
  workerHost?: string | undefined;
  /** Takes only runs of the environment of this name or id. */
  onlyEnvironment?: string | undefined;
  /** Takes one run and claims no other; it waits for it at most `waitMs`, for ever where that is absent. */
  once?: boolean | undefined;
  waitMs?: number | undefined;
  /** More directories that no run may see, such as the service's own data. */
  unseen?: readonly string[] | undefined;
  /** Runs at once. Default: twice the cores, at most 8. */
  capacity?: number | undefined;
  /** How often a worker without room says that it is there. Default: 20 s. */
  presenceMs?: number | undefined;
  harnesses?: Readonly<Record<string, HarnessSettings>> | undefined;
  /** Profile of runs that name none. */
  defaultHarness?: string | undefined;
  /** The worker's environment: PATH, model keys and the variables that profiles name. */
  environment: Readonly<Record<string, string | undefined>>;
  /** For repositories that the service gives no token for; no agent sees it. */
  gitToken?: string | undefined;
  /** Allows git remotes that are neither https nor ssh. */
  allowInsecureRemotes?: boolean | undefined;
  /** Default: bwrap; where that does not work only the demo agent is run. */
  sandbox?: SandboxDriver | undefined;
  /** What makes containers; whichever answers where absent. */
  engine?: ContainerEngine | undefined;
  /** Where the containers of a pod share something; the places of deploy/kubernetes where absent. */
  pod?: Pod | undefined;
  /** Ends a start that waits for others, such as the containers of its pod. */
  stopStart?: AbortSignal | undefined;
  /** More files and directories that runs see. */
  readOnly?: readonly string[] | undefined;
  network?: Network | undefined;
  limits?: Partial<RunLimits> | undefined;
  keep?: Partial<Keep> | undefined;
  /** The process is the worker's alone: while idle it gives memory back. */
  alone?: boolean | undefined;
  /** Honour http_proxy and its like. */
  useProxy?: boolean | undefined;
  version?: string | undefined;
  /** Makes the client for pull requests; a plain Octokit where absent. */
  github?: ((access: { token: string; apiUrl: string }) => Promise<Github>) | undefined;
  log: Log;
}

const MINUTE_MS = 60_000;
const GIB = 1024 ** 3;

export const DEFAULT_LIMITS: RunLimits = {
  wallClockMs: 24 * 60 * MINUTE_MS,
  // opencode retries a failing model without a word for ever (agents.md, "Failing models"): silence
  // has to end.
  idleMs: 30 * MINUTE_MS,
  // All five agents answer within a second (agents.md, "Stopping an agent").
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
