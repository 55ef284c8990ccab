import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { listAllWorkers } from './list-all-workers.ts';
import { listWorkers } from './list-workers.ts';

export function createWorkerListHandlers(context: ServiceContext): ResourceHandlers<'workers'> {
  return {
    list: async ({ caller }) => ({ workers: await listWorkers(context, caller.teamId) }),
    all: async ({ caller }) => ({ workers: await listAllWorkers(context, caller) }),
  };
}
