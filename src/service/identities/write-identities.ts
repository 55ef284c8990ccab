import { randomUUID } from 'node:crypto';
import type { endpoints } from '../../contract/endpoints.ts';
import type { Identity, UpdateIdentityRequest } from '../../contract/identity.ts';
import type { AuditAction } from '../../contract/people.ts';
import { invalidField, ProblemError } from '../../contract/problem.ts';
import { actorOf, recordAudit } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import { requireVisible } from '../environments/visible.ts';
import type { Call } from '../http/call.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { checkModel } from '../models/models.ts';
import type { IdentitySettings } from '../resource-tables.ts';
import type { Trx } from '../tables.ts';
import { once, onceAllowed, readOnceKey } from '../runs/create/idempotency.ts';
import { checkHarness } from '../runs/create/resolve-config.ts';
import { checkNewSkills } from '../skills/find-skill.ts';
import { requireAvailable, requireIdentity } from './read-identities.ts';

type IdentityChanges = Omit<UpdateIdentityRequest, 'name'>;

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

export async function createIdentity(
  context: ServiceContext,
  { caller, body, request }: Call<typeof endpoints.identities.create>,
): Promise<Identity> {
  const { name, ...changes } = body;
  const settings = apply({}, changes);
  const onceKey = readOnceKey(request, caller, 'agent', body);
  const insert = async (trx: Trx): Promise<{ uid: string }> => {
    const uid = randomUUID();
    const now = new Date();
    await trx
      .insertInto('identities')
      .values({
        uid,
        team_id: caller.teamId,
        name,
        created_at: now,
        updated_at: now,
        deleted_at: null,
        settings: JSON.stringify(settings),
      })
      .execute();
    await note(trx, caller, 'agent.created', { uid, name });
    return { uid };
  };
  const { uid } = await onceAllowed(context, onceKey, 'made_once', async () => {
    await checkKnown(context, caller.teamId, changes);
    await check(context, caller.teamId, settings);
    return context.db.transaction().execute((trx) => once(trx, onceKey, null, () => insert(trx)));
  });
  return requireIdentity(context, caller.teamId, uid);
}

export async function updateIdentity(
  context: ServiceContext,
  caller: TeamPrincipal,
  uid: string,
  request: UpdateIdentityRequest,
): Promise<Identity> {
  const { name, ...changes } = request;
  const identity = await requireIdentity(context, caller.teamId, uid);
  requireAvailable(identity);
  await checkKnown(context, caller.teamId, changes, identity.skills);
  await context.db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('identities')
      .where('uid', '=', identity.uid)
      .where('deleted_at', 'is', null)
      .select('settings')
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw new ProblemError('resource_not_found');
    const settings = apply(row.settings, changes);
    await check(context, caller.teamId, settings);
    await trx
      .updateTable('identities')
      .set({
        ...(name ? { name } : {}),
        settings: JSON.stringify(settings),
        updated_at: new Date(),
      })
      .where('uid', '=', identity.uid)
      .execute();
    await note(trx, caller, 'agent.changed', { uid: identity.uid, name: name || identity.name });
  });
  return requireIdentity(context, caller.teamId, identity.uid);
}

/**
 * Deletes the agent and all its keys in one transaction. Keys are looked up per request, so they
 * stop working at once.
 */
export async function deleteIdentity(
  context: ServiceContext,
  caller: TeamPrincipal,
  uid: string,
): Promise<void> {
  const identity = await requireIdentity(context, caller.teamId, uid);
  await context.db.transaction().execute(async (trx) => {
    const deleted = await trx
      .updateTable('identities')
      .set({ deleted_at: new Date() })
      .where('uid', '=', identity.uid)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (deleted.numUpdatedRows === 0n) throw new ProblemError('resource_not_found');
    await trx.deleteFrom('api_keys').where('agent_uid', '=', identity.uid).execute();
    await note(trx, caller, 'agent.deleted', identity);
  });
}

/** `base_harness` is the older way to say `harness.type`. */
function mergeHarness(changes: IdentityChanges): IdentityChanges {
  const { base_harness: older, ...rest } = changes;
  if (!older) return rest;
  if (rest.harness?.type !== undefined && rest.harness.type !== older)
    throw invalidField(
      'base_harness',
      `says "${older}", but harness.type says "${rest.harness.type}"`,
    );
  return { ...rest, harness: { ...rest.harness, type: older } };
}

function defined(changes: IdentityChanges, kept: IdentitySettings): IdentitySettings {
  const { memory, ...rest } = mergeHarness(changes);
  const { auto_memory = kept.memory?.auto_memory ?? { enabled: true } } = memory ?? {};
  const given = { ...rest, ...(memory ? { memory: { auto_memory, attached_stores: [] } } : {}) };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** An absent field or null keeps the value, an empty value clears it, any other replaces it. */
function apply(settings: IdentitySettings, changes: IdentityChanges): IdentitySettings {
  const merged = { ...settings, ...defined(changes, settings) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => !isEmpty(value)));
}

async function check(
  context: ServiceContext,
  teamId: string,
  settings: IdentitySettings,
): Promise<void> {
  const harness = settings.harness?.type;
  if (harness !== undefined && harness !== 'oz' && settings.base_model)
    throw invalidField('base_model', `must be empty with the harness "${harness}"`);
  for (const skill of settings.skills ?? [])
    if (!/^[^/:]+\/[^/:]+:.+$/.test(skill))
      throw invalidField('skills', `"${skill}" must have the form owner/repo:path`);
  const { environment_id: environment } = settings;
  if (environment !== undefined)
    await requireVisible(context, teamId, environment, 'environment_id');
}

/**
 * Whatever the request names must exist now; what was set earlier may be switched off and on again.
 */
async function checkKnown(
  context: ServiceContext,
  teamId: string,
  changes: IdentityChanges,
  skills?: readonly string[],
): Promise<void> {
  const { config } = context;
  checkHarness(config, changes.harness?.type, 'harness.type');
  checkHarness(config, changes.base_harness || undefined, 'base_harness');
  checkModel(config, changes.base_model || undefined, 'base_model');
  const named = { field: 'skills', names: changes.skills ?? [] };
  await checkNewSkills(context, teamId, named, skills);
}

async function note(
  trx: Trx,
  caller: TeamPrincipal,
  action: AuditAction,
  { uid: id, name }: Pick<Identity, 'uid' | 'name'>,
): Promise<void> {
  const object = { type: 'agent', id, name } as const;
  await recordAudit(trx, actorOf(caller), { teamId: caller.teamId, action, object });
}
