import type { Client } from '../client/connect.ts';
import type { Place } from '../commands/run-posts.ts';
import type { GithubEvent } from '../github/read/event.ts';
import type { Github } from '../github/read/octokit.ts';
import type { GithubQuota } from './github-quota.ts';
import type { TokenIdentity } from './identity.ts';
import type { Outbox } from './outbox.ts';
import type { Settings } from './read-inputs.ts';
import type { RunnerEnvironment } from './runner-environment.ts';

/** What one step, main or post, works with. */
export interface Step {
  settings: Settings;
  runner: RunnerEnvironment;
  client: Client;
  /** Undefined without a token. */
  github: (Github & { quota: GithubQuota }) | undefined;
  identity: TokenIdentity;
  event: GithubEvent;
  /** The thread of the event, if it has one. */
  place: Place | undefined;
  outbox: Outbox;
  /** Aborted when the workflow is cancelled or the step's time is over. */
  signal: AbortSignal;
  /** When the step's time is over, on the clock of `performance.now()`. */
  deadline: number;
}

/** A run that the step watches to its end. */
export interface OwnRun {
  runId: string;
  /** Id of the request that started the run, or of the follow-up sent to it. */
  requestId: string;
  /** Commit that its check stands on. */
  headSha: string | undefined;
  /** The run is older than this step, so its comment and check may exist already. */
  mayExist: boolean;
  /** Named by an input, not started here. */
  isAttached: boolean;
}

/** With `review` as its whole text, input `prompt` asks for a review, as the command does. */
export function asksForReview({ instruction }: Pick<Settings, 'instruction'>): boolean {
  return instruction.trim().toLowerCase() === 'review';
}

/** How long to keep asking a service that does not answer, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

/**
 * How long the service may fail before we say so, in milliseconds; never longer than the step has
 * left.
 */
export function patienceMs({ deadline }: Pick<Step, 'deadline'>): number {
  return Math.max(1, Math.min(PATIENCE_MS, deadline - performance.now()));
}

/** The logins whose comments count as ours: our own, and the bots that the inputs name. */
export function authorsOf({ identity, settings }: Step): () => Promise<string[]> {
  return async () => [await identity.login(), ...settings.gate.allowedBots];
}
