import type { Readable, Writable } from 'node:stream';
import { RunlinkError } from '../../base/error.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import type { Confinement } from './confinement.ts';
import type { Coming } from './images.ts';
import type { PlacedProgram } from './program-view.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** In words, such as `the agent ended with code 1`. */
  summary: string;
  /** What keeps it apart failed, and not the program. */
  isLost?: boolean;
}

export function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `its process ended with code ${code ?? 'unknown'}`
    : `its process was ended by ${signal}`;
}

/** Throws `engine_failed` where a program ended by no doing of its own. */
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
  /** Images that runs work in; undefined for a driver without any. */
  readonly images: { take(image: string): Coming } | undefined;
  /** What runs that name no image work in; undefined for the programs of this machine. */
  readonly defaultImage?: string;
  /** Where the directories of the one run lie that there is; undefined where each run has its own. */
  readonly runDirectory?: string;
  /** As whom programs run. */
  readonly user: Confinement['user'];
  /**
   * How a command of this machine is started inside, its program found on `path`, and what has to be seen
   * for it, these files among it.
   */
  tool(words: readonly string[], path: string, files?: readonly string[]): PlacedProgram;
  /**
   * What starts programs of this machine sooner than `spawn`, as the same user and with the same view; of
   * limits it has those that are not among its gaps. Undefined where nothing does.
   */
  readonly quick?: Pick<Sandbox, 'spawn' | 'gaps'> | undefined;
  /**
   * Starts the program once `held` resolves: what comes before that is made ready meanwhile. Throws
   * `agent_start_failed` where it cannot be started, and what `held` rejects with.
   */
  spawn(confinement: Confinement, held?: Promise<unknown>): Promise<ConfinedProcess>;
  /** Ends all that is left of a run, found by its marker; answers how much could not be ended. */
  endRun(marker: string): Promise<number>;
  /** Ends all that an earlier worker with the same data left behind. */
  endAll(): Promise<void>;
}
