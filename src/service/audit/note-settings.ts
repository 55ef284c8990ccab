import { hash } from 'node:crypto';
import type { ServiceContext } from '../context.ts';
import { OPERATOR, recordAudit } from './record-audit.ts';

const NAME = 'settings-digest';

/** Records in the audit log if the service started with other settings than before. */
export async function noteSettings({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): Promise<void> {
  const value = hash('sha256', JSON.stringify(config));
  await db.transaction().execute(async (trx) => {
    const changed = await trx
      .insertInto('service_secrets')
      .values({ name: NAME, value })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ value }).where('service_secrets.value', '!=', value),
      )
      .executeTakeFirst();
    if (!changed.numInsertedOrUpdatedRows) return;
    await recordAudit(trx, OPERATOR, {
      teamId: null,
      action: 'settings.changed',
      object: { type: 'settings', id: null, name: 'runlink.yaml' },
      details: { sha256: value.slice(0, 12) },
    });
  });
}
