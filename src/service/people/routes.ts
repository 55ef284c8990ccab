import { ProblemError } from '../../contract/problem.ts';
import { listAudit } from '../audit/list-audit.ts';
import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { changeRole, listMembers, removeMember } from './members.ts';
import { endSignIn, listSignIns } from './sign-ins.ts';

/** Whether the request has `of=team`; throws if the caller is not an owner. */
export function asksForAll({ role }: TeamPrincipal, of: 'me' | 'team'): boolean {
  if (of === 'team' && role !== 'owner')
    throw new ProblemError('not_authorized', { detail: 'of=team is for owners of the team.' });
  return of === 'team';
}

export function createMemberHandlers(context: ServiceContext): ResourceHandlers<'members'> {
  return {
    list: async ({ caller }) => ({ members: await listMembers(context.db, caller.teamId) }),
    update: ({ caller, params, body }) => changeRole(context, caller, params.memberUid, body.role),
    remove: ({ caller, params }) => removeMember(context, caller, params.memberUid),
  };
}

export function createSignInHandlers({ db }: ServiceContext): ResourceHandlers<'signIns'> {
  return {
    list: async ({ caller, query }) => ({
      sign_ins: await listSignIns(db, caller, asksForAll(caller, query.of)),
    }),
    end: ({ caller, params }) => endSignIn(db, caller, params.signInId),
  };
}

export function createAuditHandlers(context: ServiceContext): ResourceHandlers<'audit'> {
  return { list: ({ caller, query }) => listAudit(context, caller, query) };
}
