import type { Pool } from 'pg';
import { batched } from '../../base/batch.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';
import { createInsert, type NewDelivery } from '../store/deliveries.ts';

export type Stored = 'stored' | 'duplicate_delivery';

/**
 * Resolves only when the delivery is committed, by this call or by an earlier one with the same
 * delivery.
 */
export type Intake = (delivery: NewDelivery) => Promise<Stored>;

/** Most deliveries in one insert. This limits the size of a statement, not of the inbox. */
const BATCH_MAX = 200;
const BATCH_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Stores deliveries. Those that arrive at the same time share one insert and one durable commit.
 */
export function createIntake(pool: Pick<Pool, 'query'>): Intake {
  const insert = createInsert(pool);
  return batched(
    async (deliveries) => {
      const fresh = await insert(deliveries);
      return ({ guid }) => (fresh.delete(guid) ? 'stored' : 'duplicate_delivery');
    },
    {
      max: BATCH_MAX,
      maxBytes: BATCH_MAX_BYTES,
      bytesOf: ({ body }) => body.length,
      isOneAtFault: (error) => !isDatabaseUnavailable(error),
    },
  );
}
