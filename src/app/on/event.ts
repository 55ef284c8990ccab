import type { Reason } from '../../github/decide/reason.ts';
import { repositoryName, type GithubEvent } from '../../github/read/event.ts';
import type { Github } from '../../github/read/octokit.ts';
import { readEvent } from '../../github/read/read-event.ts';
import type { AppContext } from '../context.ts';
import { storeReasons } from '../store/deliveries.ts';
import { followRepository } from '../store/repositories.ts';

/** The part of Probot's context that our handlers use. */
export interface ProbotEvent {
  /** Id of the delivery. */
  id: string;
  name: string;
  payload: unknown;
  octokit: Github;
}

/** An event of a repository on which the App is installed. */
export interface Delivered {
  /** Id of the delivery. */
  guid: string;
  event: GithubEvent;
  payload: unknown;
  installationId: number;
  /** GitHub through this installation. */
  github: Github;
}

/** Handles an event and returns its outcome. */
export type EventHandler = (context: AppContext, delivered: Delivered) => Promise<Reason[]>;

/** Makes a Probot handler that stores the outcome of its event. */
export function settling(
  context: AppContext,
  handle: (context: AppContext, event: ProbotEvent) => Promise<Reason[]>,
): (event: ProbotEvent) => Promise<void> {
  return async (event) => storeReasons(context.db, event, await handle(context, event));
}

/** The same for events of a repository, which are first parsed into our own form. */
export function about(
  context: AppContext,
): (handle: EventHandler) => (event: ProbotEvent) => Promise<void> {
  return (handle) =>
    settling(context, async (_, { id: guid, name, payload, octokit: github }) => {
      const reading = readEvent(name, payload);
      if ('ignored' in reading) return [reading.ignored];
      const { event } = reading;
      const { installationId, repository } = event;
      if (installationId === undefined) return ['no_installation'];
      if (repository.id !== undefined) {
        // Records are kept under the repository's current name and installation.
        const known = { id: repository.id, name: repositoryName(repository), installationId };
        await followRepository(context.db, known);
      }
      return handle(context, { guid, event, payload, installationId, github });
    });
}
