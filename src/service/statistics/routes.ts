import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { readStatistics } from './read-statistics.ts';

export function createStatisticsHandlers(context: ServiceContext): ResourceHandlers<'statistics'> {
  return { read: ({ caller, query }) => readStatistics(context, caller.teamId, query) };
}
