import type { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { asksForAll } from '../people/routes.ts';
import { once, readOnceKey } from '../runs/create/idempotency.ts';
import { createKey, type CreatedKey } from './create-key.ts';
import { createKeyText, onceKeyText } from './key-text.ts';
import { beginLogin, finishLogin } from './login-requests.ts';
import {
  createAgentKey,
  listKeys,
  revokeKey,
  type AgentKeyRequest,
  type KeyFilter,
} from './manage-keys.ts';
import type { TeamPrincipal } from './principal.ts';
import { createTokenExchange } from './workflow-keys.ts';

export function createAccessHandlers(context: ServiceContext): ResourceHandlers<'access'> {
  const exchange = createTokenExchange(context);
  return {
    async whoami({ caller }) {
      const { kind, keyId: key_id, profile, teamId: uid } = caller;
      const { name } = await context.db
        .selectFrom('teams')
        .where('id', '=', uid)
        .select('name')
        .executeTakeFirstOrThrow();
      return { kind, key_id, profile, team: { uid, name } };
    },
    beginLogin: ({ body }) => beginLogin(context, body),
    finishLogin: ({ params, body }) => finishLogin(context, params.loginId, body.verifier),
    exchangeToken: ({ body }) => exchange(body.token),
  };
}

/** Selects the keys that a person may see and revoke. */
function holderOf({ uid, teamId }: TeamPrincipal, all: boolean): KeyFilter {
  return { userId: uid, teamId, all };
}

async function makeAgentKey(
  context: Pick<ServiceContext, 'db' | 'config'>,
  agentUid: string,
  of: AgentKeyRequest,
) {
  try {
    return await createAgentKey(context, agentUid, of);
  } catch (error) {
    if (!(error instanceof RunlinkError)) throw error;
    if (error.code === 'unknown_agent') throw new ProblemError('resource_not_found');
    throw new ProblemError('operation_not_supported', { detail: error.message });
  }
}

async function makeKey(
  context: Pick<ServiceContext, 'db' | 'config'>,
  caller: TeamPrincipal,
  body: z.output<typeof endpoints.keys.create.body>,
  textOf: (id: string) => string = createKeyText,
): Promise<CreatedKey> {
  const { teamId, uid: user_id, profile, endsAt: expiresAt } = caller;
  const by = actorOf(caller);
  const named = body.name === undefined ? {} : { name: body.name };
  if (body.agent_uid)
    return makeAgentKey(context, body.agent_uid, { teamId, expiresAt, by, textOf, ...named });
  const name = body.name ?? `${profile.display_name ?? ''}’s key`;
  const key = { kind: 'personal', name, team_id: teamId, user_id, expires_at: expiresAt } as const;
  return createKey(context.db, by, key, textOf);
}

export function createKeyHandlers(context: ServiceContext): ResourceHandlers<'keys'> {
  const { db } = context;
  return {
    async list({ caller, query }) {
      const keys = await listKeys(db, holderOf(caller, asksForAll(caller, query.of)));
      return {
        keys: keys.map(({ id, kind, name, prefix, suffix, agentUid, userUid, ...key }) => ({
          id,
          kind,
          name,
          prefix,
          suffix,
          agent_uid: agentUid,
          person: userUid ? { uid: userUid, display_name: key.userName ?? '' } : null,
          created_at: key.createdAt.toISOString(),
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
          expires_at: key.expiresAt?.toISOString() ?? null,
        })),
      };
    },
    async create({ caller, body, request }) {
      const onceKey = readOnceKey(request, caller, 'key', body);
      if (!onceKey) return makeKey(context, caller, body);
      const textOf = (id: string): string => onceKeyText(context.secrets.runKey, id);
      const { id } = await db.transaction().execute((trx) =>
        once(trx, onceKey, null, async () => {
          const made = await makeKey({ ...context, db: trx }, caller, body, textOf);
          return { id: made.id };
        }),
      );
      return { id, key: textOf(id) };
    },
    async revoke({ caller, params }) {
      const filter = holderOf(caller, caller.role === 'owner');
      if (!(await revokeKey(db, params.keyId, filter, actorOf(caller))))
        throw new ProblemError('resource_not_found');
    },
  };
}
