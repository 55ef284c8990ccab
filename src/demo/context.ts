import { join } from 'node:path';
import type { StandInActor } from './actor.ts';
import type { Deliveries } from './deliveries.ts';
import { correct } from './corrections.ts';
import type { GitPlace } from './git.ts';
import type { Journal } from './journal.ts';
import { DEMO_APP } from './seed.ts';
import type { StandInState } from './state.ts';
import { KEEPER, type Emulator } from './upstream.ts';

/** What all parts of the stand-in share. */
export interface StandInContext {
  state: StandInState;
  upstream: Emulator;
  journal: Journal;
  deliveries: Deliveries;
  /** Directory of the bare repositories, and a `PATH` with git. */
  gitRoot: string;
  path: string;
  /** The App's private key, and the secret that its events are signed with. */
  app: { privateKey: string; webhookSecret: string };
  /** Git objects that the emulator already has. */
  known: Set<string>;
  /** Makes one change at a time, so that a replay produces the same ids. */
  exclusive<T>(task: () => Promise<T>): Promise<T>;
}

export function gitPlaceOf(context: StandInContext, repository: string): GitPlace {
  return { directory: join(context.gitRoot, `${repository}.git`), path: context.path };
}

/** What GitHub would show the keeper, who may see everything; undefined if there is nothing. */
export async function read({ upstream, state }: StandInContext, path: string): Promise<unknown> {
  const answer = await upstream.send(KEEPER, 'GET', path);
  return answer.status === 200 ? correct(answer.body, state) : undefined;
}

/** The login of an actor; an App acts as its bot. */
export function loginOf(actor: StandInActor): string {
  if (actor.kind === 'user') return actor.login;
  return actor.kind === 'anonymous' ? '' : `${DEMO_APP.slug}[bot]`;
}

/** Runs tasks one after another. */
export function createQueue(): StandInContext['exclusive'] {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}
