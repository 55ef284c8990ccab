import { errorMessage } from '../../base/error.ts';
import { readEvent } from '../../github/read-event.ts';
import type { GithubEvent } from '../../github/event.ts';
import type { AppContext } from '../context.ts';
import { finishDelivery, retryDelivery, type Delivery } from '../store/deliveries.ts';
import { setSuspended } from '../store/installations.ts';
import { backoffMs } from '../outbox/writer.ts';
import { handleEvent } from './handle-event.ts';
import { readOutage } from './retry-later.ts';
import { GIVEN_UP, tellTaken, tellWaiting } from './tell-waiting.ts';

/** A fault of ours is tried this often before the delivery is given up. */
const FAULT_TRIES = 5;

/** Handles one delivery of the inbox to its end, or gives it back to be tried again. */
export async function handleDelivery(context: AppContext, delivery: Delivery): Promise<void> {
  const { db, replica, metrics } = context;
  const log = context.log.child({ delivery: delivery.guid, event: delivery.event });
  const reading = read(delivery);
  try {
    const reason =
      'ignored' in reading
        ? await handleWithoutRepository(context, delivery, reading.ignored)
        : await handleEvent({ ...context, log }, reading.event, {
            installationId: delivery.installationId,
            payload: reading.payload,
            guid: delivery.guid,
          });
    await finish(reason);
  } catch (error) {
    await retryOrGiveUp(error);
  }

  async function finish(reason: string): Promise<void> {
    if (delivery.attempts > 1 && !GIVEN_UP.includes(reason)) await tellTaken(context, delivery);
    await finishDelivery(db, replica.id, delivery.id, reason);
    metrics.deliveries.inc({ event: delivery.event, reason });
    log.info({ reason, attempts: delivery.attempts }, 'delivery handled');
  }

  async function retryOrGiveUp(error: unknown): Promise<void> {
    const outage = readOutage(error, Date.now());
    const ageMs = Date.now() - delivery.receivedAt.getTime();
    const isOver = outage
      ? ageMs > context.settings.giveUpAfterMs
      : delivery.attempts >= FAULT_TRIES;
    const reason = outage?.reason ?? 'internal_error';
    log.warn({ error: errorMessage(error), outage: outage?.reason, ageMs, isOver }, 'not handled');
    const isLong = outage !== undefined && ageMs > context.settings.tellAfterMs;
    if (!('ignored' in reading) && (isOver || isLong)) {
      await tellWaiting(context, delivery, reading.event, { reason, isOver });
    }
    if (isOver) return finish(reason);
    const delayMs = Math.max(outage?.waitMs ?? 0, Math.min(backoffMs(delivery.attempts), 30_000));
    await retryDelivery(db, replica.id, delivery.id, delayMs);
  }
}

type Reading = { event: GithubEvent; payload: unknown } | { ignored: string };

function read(delivery: Delivery): Reading {
  const payload: unknown = JSON.parse(delivery.body);
  const reading = readEvent(delivery.event, payload);
  return 'ignored' in reading ? reading : { event: reading.event, payload };
}

async function handleWithoutRepository(
  context: AppContext,
  delivery: Delivery,
  ignored: string,
): Promise<string> {
  if (delivery.event !== 'installation') return ignored;
  await setSuspended(context.db, delivery.installationId, delivery.action !== 'unsuspend');
  return `installation_${delivery.action ?? 'changed'}`;
}
