import { hash } from 'node:crypto';
import type { ServiceContext } from '../context.ts';

/** Records which environments' configurations changed since the service last started. */
export async function syncEnvironments({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): Promise<void> {
  if (config.environments.length === 0) return;
  const last_updated = new Date();
  await db
    .insertInto('environments')
    .values(
      config.environments.map((environment) => ({
        id: environment.id,
        fingerprint: hash('sha256', JSON.stringify(environment)),
        last_updated,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((set) => ({
          fingerprint: set.ref('excluded.fingerprint'),
          last_updated: set.ref('excluded.last_updated'),
        }))
        .whereRef('environments.fingerprint', '!=', 'excluded.fingerprint'),
    )
    .execute();
}
