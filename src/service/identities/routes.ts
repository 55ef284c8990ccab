import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { listIdentities, requireIdentity } from './read-identities.ts';
import { createIdentity, deleteIdentity, updateIdentity } from './write-identities.ts';

export function createIdentityHandlers(context: ServiceContext): ResourceHandlers<'identities'> {
  return {
    create: (call) => createIdentity(context, call),
    list: async ({ caller }) => ({ agents: await listIdentities(context, caller.teamId) }),
    get: ({ caller, params }) => requireIdentity(context, caller.teamId, params.uid),
    update: ({ caller, params, body }) => updateIdentity(context, caller, params.uid, body),
    delete: ({ caller, params }) => deleteIdentity(context, caller, params.uid),
  };
}
