import type { Readable, Writable } from 'node:stream';

/** How far an agent may reach: anywhere, or only its model through the worker. */
export type Network = 'full' | 'none';

export interface Limits {
  memoryBytes: number | undefined;
  processes: number | undefined;
  /** Cores, such as 1.5. */
  cpus: number | undefined;
  /** Largest file a process may write. */
  fileBytes: number | undefined;
}

export interface Spawn {
  command: readonly string[];
  cwd: string;
  /** The whole environment: nothing of the worker's is added. */
  env: Readonly<Record<string, string>>;
  /** Directories that may be written; everything else is read-only where the driver can do that. */
  writable: readonly string[];
  /** Directories of the worker that must not be seen at all where the driver can do that. */
  hidden: readonly string[];
  /** Inside hidden ones, what programs are started from: read-only. */
  programs: readonly string[];
  /** Unix socket at which the worker offers the model, for an agent without a network. */
  modelSocket: string | undefined;
  network: Network;
  limits: Limits;
  /** Marks every process of the run: the last resort for finding them all. */
  cookie: string;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** In words, such as `the agent ended with code 1`. */
  summary: string;
}

/** Port inside a sandbox without network at which the model is reached. */
export const BRIDGE_PORT = 8788;

/** A program running inside a sandbox. */
export interface AgentProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the first process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends every process that came of it; resolves when they are gone. Never rejects. */
  destroy(): Promise<void>;
}

/** One way to isolate a program; the strongest that the machine has is chosen at start. */
export interface Sandbox {
  readonly name: 'bwrap' | 'unshare' | 'direct';
  /** What this driver cannot keep apart on this machine, in words for the log. */
  readonly gaps: readonly string[];
  /** It can start agents without any network but their model. */
  readonly canCutNetwork: boolean;
  /** Throws `agent_start_failed` where the program cannot be started. */
  spawn(spawn: Spawn): Promise<AgentProcess>;
}
