import type { Client } from '../client/connect.ts';
import type { Place } from '../commands/run-posts.ts';
import type { GithubEvent } from '../github/read/event.ts';
import type { Github } from '../github/read/octokit.ts';
import type { GithubQuota } from './github-quota.ts';
import type { TokenIdentity } from './identity.ts';
import type { Outbox } from './outbox.ts';
import type { Settings } from './read-inputs.ts';
import type { RunnerEnvironment } from './runner-environment.ts';

/** Everything one step, main or post, works with. */
export interface Step {
  settings: Settings;
  runner: RunnerEnvironment;
  client: Client;
  /** Undefined without a token. */
  github: (Github & { quota: GithubQuota }) | undefined;
  identity: TokenIdentity;
  event: GithubEvent;
  /** The thread of the event, where it has one. */
  place: Place | undefined;
  outbox: Outbox;
  /** Aborted when the workflow is cancelled or the time is over. */
  signal: AbortSignal;
  /** When the step's time is over, on the clock of `performance.now()`. */
  deadline: number;
}

/** A run that the step sees to its end. */
export interface OwnRun {
  runId: string;
  /** Id of the request that it was started, or told more, by. */
  requestId: string;
  /** Commit that its check belongs on. */
  headSha: string | undefined;
  /** The run existed before, so that its comment and check may exist too. */
  mayExist: boolean;
  /** It was named by an input, not started here. */
  isAttached: boolean;
}

/** Input `prompt` is the one word that asks for a review, as in a command. */
export function asksForReview({ instruction }: Pick<Settings, 'instruction'>): boolean {
  return instruction.trim().toLowerCase() === 'review';
}

/** How long a service that does not answer is asked again, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

/** Milliseconds the service may fail before we say so: never past the step's own time. */
export function patienceMs({ deadline }: Pick<Step, 'deadline'>): number {
  return Math.max(1, Math.min(PATIENCE_MS, deadline - performance.now()));
}

/** Logins that we, or bots that are let in here, write by. */
export function authorsOf({ identity, settings }: Step): () => Promise<string[]> {
  return async () => [await identity.login(), ...settings.gate.allowedBots];
}
