import { z } from 'zod';
import type { Reason } from '../../github/decide/reason.ts';
import type { AppContext } from '../context.ts';
import { setInstallation } from '../store/installations.ts';
import { retryAbandoned } from '../store/posts.ts';
import type { ProbotEvent } from './event.ts';

/** What a missing permission kept from being shown so lately is shown once it is granted. */
const NEW_PERMISSION_DAYS = 7;

const installationPayload = z.object({
  action: z.enum(['deleted', 'suspend', 'unsuspend', 'new_permissions_accepted']),
  installation: z.object({ id: z.int() }),
});

/** The App was taken away, suspended, or is back. */
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

/** The App may do more: what was refused lately is tried again. */
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
