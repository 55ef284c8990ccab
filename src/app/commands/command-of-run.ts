import type { CustomCommand, RepositoryConfig } from '../config/schema.ts';
import type { AppContext } from '../context.ts';
import { requestOfRun } from '../store/requests.ts';

/** Metadata of runs that a command of the repository's own started: its name. */
export const COMMAND_KEY = 'runlink.command';

/** The command of the repository's own that a run was started by, or that it repeats. */
export async function commandOfRun(
  context: AppContext,
  config: RepositoryConfig,
  runId: string,
): Promise<CustomCommand | undefined> {
  const name = (await requestOfRun(context.db, runId))?.metadata?.[COMMAND_KEY];
  return name !== undefined && Object.hasOwn(config.commands, name)
    ? config.commands[name]
    : undefined;
}
