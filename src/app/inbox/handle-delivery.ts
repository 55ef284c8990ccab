import { errorMessage, RunlinkError } from '../../base/error.ts';
import { backoffMs } from '../../base/retry.ts';
import { failureReason, githubRefusal, readOutage, type Outage } from '../../commands/failure.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { parseExactJson } from '../../github/read/exact-json.ts';
import { readEvent } from '../../github/read/read-event.ts';
import type { AppContext } from '../context.ts';
import { finishDelivery, retryDelivery, type Delivery } from '../store/deliveries.ts';
import { tellTaken, tellWaiting } from './tell-waiting.ts';

/** Passes an event to the App's handlers; rejects with their failure. */
export type Receive = (delivery: Delivery) => Promise<void>;

/** After so many failures of our own a delivery is given up. */
const FAULT_TRIES = 5;
/**
 * A delivery in whose handling the process died this many times in a row is assumed to be the
 * cause.
 */
const CRASHES_MAX = 50;
/** The pauses between tries. They stay short, because a person waits for the answer. */
const BACKOFF = { firstMs: 3000, longestMs: 30_000 };

/** Handles one delivery to its end, or gives it back to be tried again. */
export async function handleDelivery(
  context: AppContext,
  receive: Receive,
  delivery: Delivery,
): Promise<void> {
  const { db, replica, metrics } = context;
  const log = context.log.child({ delivery: delivery.guid, event: delivery.event });
  try {
    if (isDeadly(delivery)) {
      throw new RunlinkError('delivery_deadly', 'The App ended each time it was tried.');
    }
    if (delivery.reasons === null) await receive(delivery);
    if (delivery.waits + delivery.faults > 0) await tellTaken(context, delivery);
    await finish(null);
  } catch (error) {
    await retryOrGiveUp(error);
  }

  async function finish(given: Reason[] | null): Promise<void> {
    const reasons = await finishDelivery(db, replica.id, delivery.id, given);
    for (const reason of reasons ?? []) metrics.deliveries.inc({ event: delivery.event, reason });
    log.info({ reasons, attempts: delivery.attempts }, 'delivery handled');
  }

  async function retryOrGiveUp(error: unknown): Promise<void> {
    const outage = readOutage(error, Date.now());
    if (!outage && isDatabaseUnavailable(error)) throw error;
    const ageMs = Date.now() - delivery.receivedAt.getTime();
    const isLate = ageMs > context.settings.giveUpAfterMs;
    const reason = outage?.reason ?? failureReason(error);
    const isOver = reason === 'permission_missing' || isGivenUp(delivery, outage, isLate);
    log.warn({ error: errorMessage(error), outage: outage?.reason, ageMs, isOver }, 'not handled');
    const isLong = outage !== undefined && ageMs > context.settings.tellAfterMs;
    const reading = readEvent(delivery.event, parseExactJson(delivery.body));
    if (!('ignored' in reading) && (isOver || isLong)) {
      const refusal = githubRefusal(error);
      await tellWaiting(context, delivery, reading.event, { reason, isOver, refusal });
    }
    if (isOver) return finish([reason]);
    await retryDelivery(db, replica.id, delivery.id, pauseAfter(delivery, outage));
  }
}

/**
 * Whether handling this delivery keeps killing the process. It is given up then, because it would
 * hold up everything else for ever.
 */
function isDeadly({ attempts, faults, waits }: Delivery): boolean {
  return attempts - faults - waits > CRASHES_MAX;
}

function isGivenUp(delivery: Delivery, outage: Outage | undefined, isLate: boolean): boolean {
  return outage ? isLate : isDeadly(delivery) || delivery.faults + 1 >= FAULT_TRIES;
}

function pauseAfter(
  { faults, waits }: Delivery,
  outage: Outage | undefined,
): { delayMs: number; isOutage: boolean } {
  const backoff = backoffMs(faults + waits + 1, BACKOFF);
  return { delayMs: Math.max(outage?.waitMs ?? 0, backoff), isOutage: outage !== undefined };
}
