import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { claimDiscovery, reportDiscovery } from './discovery.ts';
import { listSkills } from './list-skills.ts';

export function createSkillHandlers(context: ServiceContext): ResourceHandlers<'skills'> {
  return {
    list: async ({ caller, query, request }) => ({
      agents: await listSkills(context, caller.teamId, query, request.signal),
    }),
    claimDiscovery: async ({ caller, waitSeconds, request }) => ({
      discovery: await claimDiscovery(context, caller, {
        seconds: waitSeconds ?? 0,
        signal: request.signal,
      }),
    }),
    reportDiscovery: async ({ params, body }) => ({
      skills: await reportDiscovery(context, params.discoveryId, body),
    }),
  };
}
