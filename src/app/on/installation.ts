import { z } from 'zod';
import type { Reason } from '../../github/decide/reason.ts';
import type { AppContext } from '../context.ts';
import { setInstallation } from '../store/installations.ts';
import { retryAbandoned } from '../store/posts.ts';
import type { ProbotEvent } from './event.ts';

/** After new permissions, posts that were refused up to this many days ago are tried again. */
const NEW_PERMISSION_DAYS = 7;

const installationPayload = z.object({
  action: z.enum(['deleted', 'suspend', 'unsuspend', 'new_permissions_accepted']),
  installation: z.object({ id: z.int() }),
});

/** The App was removed, suspended, or restored. */
export async function onInstallation(
  context: AppContext,
  { payload }: ProbotEvent,
): Promise<Reason[]> {
  const read = installationPayload.safeParse(payload);
  if (!read.success) return ['unreadable_payload'];
  const { action, installation } = read.data;
  const state = { suspended: action !== 'unsuspend', gone: action === 'deleted' };
  await setInstallation(context.db, installation.id, state);
  return [`installation_${action}`];
}

/** The App was granted new permissions: tries again what was refused lately. */
export async function onNewPermissions(
  context: AppContext,
  { payload }: ProbotEvent,
): Promise<Reason[]> {
  const read = installationPayload.safeParse(payload);
  if (!read.success) return ['unreadable_payload'];
  await retryAbandoned(context.db, read.data.installation.id, NEW_PERMISSION_DAYS);
  context.pokeOutbox();
  return ['installation_new_permissions_accepted'];
}
