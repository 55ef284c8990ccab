import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { listEnvironments } from './list-environments.ts';

export function createEnvironmentHandlers(
  context: ServiceContext,
): ResourceHandlers<'environments'> {
  return {
    list: async ({ caller, query }) => ({
      environments: await listEnvironments(context, caller.teamId, query.sort_by),
    }),
  };
}
