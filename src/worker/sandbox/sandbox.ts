import type { Readable, Writable } from 'node:stream';
import { RunlinkError } from '../../base/error.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import type { Confinement } from './confinement.ts';
import type { ContainerImages } from './images.ts';
import type { PlacedProgram } from './program-view.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Describes the end in words, such as `its process ended with code 1`. */
  summary: string;
  /** Whether the sandbox failed, and not the program. */
  isLost?: boolean;
}

export function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `its process ended with code ${code ?? 'unknown'}`
    : `its process was ended by ${signal}`;
}

/** Throws `engine_failed` if the sandbox failed, and not the program. */
export function assertKept({ isLost, summary }: Exit): void {
  if (isLost) throw new RunlinkError('engine_failed', summary);
}

/** A program running inside a sandbox. */
export interface ConfinedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the first process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** Kills the program and all its descendants; resolves when they are gone. Never rejects. */
  destroy(): Promise<void>;
}

/** A driver: one way to confine programs. */
export interface Sandbox {
  readonly name: SandboxDriver;
  /** What this driver does not isolate or limit on this machine, in words for the log. */
  readonly gaps: readonly string[];
  /** Whether it can start programs that reach only their model. */
  readonly canCutNetwork: boolean;
  /** The images that runs can work in; undefined if this driver has none. */
  readonly images: Pick<ContainerImages, 'take' | 'endAll'> | undefined;
  /** Image of runs that name none; undefined if they use this machine's programs. */
  readonly defaultImage?: string;
  /** The run's directory, if this driver serves only one run; undefined if each run has its own. */
  readonly runDirectory?: string;
  /** The user that programs run as. */
  readonly user: Confinement['user'];
  /**
   * How to start a command of this machine inside: the command, with its program found on `path`,
   * and what must be visible for it, `files` included.
   */
  tool(words: readonly string[], path: string, files?: readonly string[]): PlacedProgram;
  /**
   * A faster way to start programs of this machine, as the same user and with the same view. It
   * enforces all limits except those in its `gaps`. Undefined if there is none.
   */
  readonly quick?: Pick<Sandbox, 'spawn' | 'gaps'> | undefined;
  /**
   * Starts the program once `held` resolves; everything else is prepared meanwhile. Throws
   * `agent_start_failed` if it cannot be started, or the error of `held`.
   */
  spawn(confinement: Confinement, held?: Promise<unknown>): Promise<ConfinedProcess>;
  /** Kills all processes of a run, found by its marker; returns how many could not be ended. */
  endRun(marker: string): Promise<number>;
  /** Ends everything that an earlier worker with the same data left behind. */
  endAll(): Promise<void>;
}
