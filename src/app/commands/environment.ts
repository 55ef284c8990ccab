import { errorMessage } from '../../base/error.ts';
import type { Repository } from '../../github/read/event.ts';
import {
  environmentNamed,
  environmentOf,
  isEnvironmentId,
  type EnvironmentRead,
} from '../../commands/environment.ts';
import type { AppContext } from '../context.ts';

const LOOK_UP_WITHIN_MS = 10_000;

/**
 * The environment to work in: the one that is named, else the only one that lists the repository
 * (run-lifecycle.md, "Where a run works"); `unknown` when there is none of that name. A look-up
 * that fails is a warning, never fatal.
 */
export async function findEnvironment(
  context: AppContext,
  repository: Repository,
  named: string | undefined,
): Promise<{ id: string | undefined } | 'unknown'> {
  if (named !== undefined && isEnvironmentId(named)) return { id: named };
  const environments = await listEnvironments(context);
  if (named === undefined) return { id: environmentOf(environments ?? [], repository) };
  const id = environmentNamed(environments ?? [], named);
  return id === undefined && environments ? 'unknown' : { id };
}

async function listEnvironments(context: AppContext): Promise<EnvironmentRead[] | undefined> {
  try {
    const query = { sort_by: 'name' } as const;
    const options = { deadlineMs: LOOK_UP_WITHIN_MS };
    return (await context.client.environments.list(query, options)).environments;
  } catch (error) {
    context.log.warn({ error: errorMessage(error) }, 'environments could not be read');
    return undefined;
  }
}
