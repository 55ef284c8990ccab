import type { Client } from '../client/connect.ts';
import type { GithubEvent, Head } from '../github/read/event.ts';
import type { Github } from '../github/read/octokit.ts';
import type { Identity } from './identity.ts';
import type { Runner } from './runner.ts';
import type { Settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

/** Everything one execution of the Action works with. */
export interface Act {
  runner: Runner;
  settings: Settings;
  surroundings: Surroundings;
  client: Client;
  /** Undefined without a token. */
  github: Github | undefined;
  identity: Identity;
  event: GithubEvent;
  /** Aborted when the workflow is cancelled or the time is over. */
  signal: AbortSignal;
  /** Runs this step has started or told something. */
  runIds: Set<string>;
  /** When the step's time is over, on the clock of `performance.now()`. */
  deadline: number;
}

/** A pull request's head as it was read when its command was judged. */
export interface Pinned {
  head: Head | undefined;
  base: string | undefined;
}

/** How long a service that does not answer is asked again, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

/** Milliseconds the service may fail before we say so: never past the step's own time. */
export function patienceMs(act: Pick<Act, 'deadline'>): number {
  return Math.max(1, Math.min(PATIENCE_MS, act.deadline - performance.now()));
}

/** Does what is nice to have: a failure is a warning, never the end. */
export async function bestEffort<T>(
  act: Pick<Act, 'runner' | 'signal'>,
  what: string,
  effort: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await effort();
  } catch (error) {
    if (act.signal.aborted) throw act.signal.reason;
    act.runner.warning(`${what}: ${plain(error)}`);
    return undefined;
  }
}

function plain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}
