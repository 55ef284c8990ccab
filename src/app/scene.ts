import type { GithubEvent, Thread } from '../github/read/event.ts';
import type { Github } from '../github/read/octokit.ts';
import type { LoadedConfig } from './config/load.ts';

/** An event on a thread, with what is needed to act on it. */
export interface Scene {
  event: GithubEvent;
  thread: Thread;
  installationId: number;
  github: Github;
  config: LoadedConfig['config'];
  /** What is wrong with the repository's own file. */
  broken: LoadedConfig['broken'];
}
