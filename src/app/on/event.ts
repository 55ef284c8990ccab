import type { Reason } from '../../github/decide/reason.ts';
import { repositoryName, type GithubEvent } from '../../github/read/event.ts';
import type { Github } from '../../github/read/octokit.ts';
import { readEvent } from '../../github/read/read-event.ts';
import type { AppContext } from '../context.ts';
import { storeReasons } from '../store/deliveries.ts';
import { followRepository } from '../store/repositories.ts';

/** What Probot hands to a handler, as far as ours read it. */
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
  /** GitHub as this installation. */
  github: Github;
}

/** Acts on an event; answers what became of it. */
export type EventHandler = (context: AppContext, delivered: Delivered) => Promise<Reason[]>;

/** Makes a handler of Probot's of one that answers what became of its event, and stores that. */
export function settling(
  context: AppContext,
  handle: (context: AppContext, event: ProbotEvent) => Promise<Reason[]>,
): (event: ProbotEvent) => Promise<void> {
  return async (event) => storeReasons(context.db, event, await handle(context, event));
}

/** The same for events of a repository, which are read into our one shape first. */
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
        // What is kept of the repository goes by the name and the installation it has now.
        const known = { id: repository.id, name: repositoryName(repository), installationId };
        await followRepository(context.db, known);
      }
      return handle(context, { guid, event, payload, installationId, github });
    });
}
