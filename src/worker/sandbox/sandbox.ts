import type { Readable, Writable } from 'node:stream';
import type { SandboxDriver } from '../../config/sandbox.ts';
import type { Confinement } from './confinement.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** In words, such as `the agent ended with code 1`. */
  summary: string;
}

/** A program running inside a sandbox. */
export interface ConfinedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the first process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends every process that came of it; resolves when they are gone. Never rejects. */
  destroy(): Promise<void>;
}

/** One way to carry out a confinement. */
export interface Sandbox {
  readonly name: SandboxDriver;
  /** What this driver cannot keep apart on this machine, in words for the log. */
  readonly gaps: readonly string[];
  /** It can start programs without any network but their model. */
  readonly canCutNetwork: boolean;
  /** Throws `agent_start_failed` where the program cannot be started. */
  spawn(confinement: Confinement): Promise<ConfinedProcess>;
}
