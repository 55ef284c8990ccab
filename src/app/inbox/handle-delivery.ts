import { errorMessage, RunlinkError } from '../../base/error.ts';
import { backoffMs } from '../../base/retry.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';
import { readEvent } from '../../github/read/read-event.ts';
import { repositoryName, type GithubEvent } from '../../github/read/event.ts';
import type { AppContext } from '../context.ts';
import { finishDelivery, retryDelivery, type Delivery } from '../store/deliveries.ts';
import { retryAbandoned } from '../store/posts.ts';
import { setInstallation } from '../store/installations.ts';
import { followRepository } from '../store/repositories.ts';
import { handleEvent } from './handle-event.ts';
import { readOutage, type Outage } from './outage.ts';
import { GIVEN_UP, tellTaken, tellWaiting } from './tell-waiting.ts';

/** A fault of ours is tried this often before the delivery is given up. */
const FAULT_TRIES = 5;
/** One at which the process ends so often is what ends it. */
const CRASHES_MAX = 50;
/** A person waits: also after many tries it is soon tried again. */
const BACKOFF = { firstMs: 3000, longestMs: 30_000 };

/** What a missing permission kept from being shown so lately is shown once it is granted. */
const NEW_PERMISSION_DAYS = 7;

/** Handles one delivery of the inbox to its end, or gives it back to be tried again. */
export async function handleDelivery(context: AppContext, delivery: Delivery): Promise<void> {
  const { db, replica, metrics } = context;
  const log = context.log.child({ delivery: delivery.guid, event: delivery.event });
  const reading = read(delivery);
  try {
    if (isDeadly(delivery)) {
      throw new RunlinkError('delivery_deadly', 'The App ended each time it was tried.');
    }
    const reason =
      'ignored' in reading
        ? await handleWithoutRepository(context, delivery, reading.ignored)
        : await handleKnown({ ...context, log }, reading.event, {
            installationId: delivery.installationId,
            payload: reading.payload,
            guid: delivery.guid,
          });
    await finish(reason);
  } catch (error) {
    await retryOrGiveUp(error);
  }

  async function finish(reason: string): Promise<void> {
    const wasTold = delivery.waits + delivery.faults > 0;
    if (wasTold && !GIVEN_UP.includes(reason)) await tellTaken(context, delivery);
    await finishDelivery(db, replica.id, delivery.id, reason);
    metrics.deliveries.inc({
      event: delivery.event,
      reason: reason.includes(',') ? 'several' : reason,
    });
    log.info({ reason, attempts: delivery.attempts }, 'delivery handled');
  }

  async function retryOrGiveUp(error: unknown): Promise<void> {
    const outage = readOutage(error, Date.now());
    if (!outage && isDatabaseUnavailable(error)) throw error;
    const ageMs = Date.now() - delivery.receivedAt.getTime();
    const isOver = isGivenUp(delivery, outage, ageMs > context.settings.giveUpAfterMs);
    const reason = outage?.reason ?? 'internal_error';
    log.warn({ error: errorMessage(error), outage: outage?.reason, ageMs, isOver }, 'not handled');
    const isLong = outage !== undefined && ageMs > context.settings.tellAfterMs;
    if (!('ignored' in reading) && (isOver || isLong)) {
      await tellWaiting(context, delivery, reading.event, { reason, isOver });
    }
    if (isOver) return finish(reason);
    await retryDelivery(db, replica.id, delivery.id, pauseAfter(delivery, outage));
  }
}

/** What it takes to handle it ends the process: it would hold up everything else for ever. */
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

/** What is kept of the repository goes by the name and the installation it has now. */
async function handleKnown(
  context: AppContext,
  event: GithubEvent,
  parts: Parameters<typeof handleEvent>[2],
): Promise<string> {
  const { repository } = event;
  if (repository.id !== undefined) {
    const { id } = repository;
    const { installationId } = parts;
    await followRepository(context.db, { id, name: repositoryName(repository), installationId });
  }
  return handleEvent(context, event, parts);
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
  const { installationId: id, action } = delivery;
  if (action === 'new_permissions_accepted') {
    await retryAbandoned(context.db, id, NEW_PERMISSION_DAYS);
    context.pokeOutbox();
  } else {
    await setInstallation(context.db, id, {
      suspended: action !== 'unsuspend',
      gone: action === 'deleted',
    });
  }
  return `installation_${delivery.action ?? 'changed'}`;
}
