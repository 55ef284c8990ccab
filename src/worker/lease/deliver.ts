import { RunlinkError } from '../../base/error.ts';
import { backoffMs, retry } from '../../base/retry.ts';
import type { Client } from '../../client/connect.ts';
import { isClientError, isProblem } from '../../client/error.ts';
import type { WorkerEvent } from '../../contract/event.ts';

const BACKOFF = { firstMs: 400, longestMs: 5000 };

/** Statuses that mean that the run is no longer ours (threats.md S12). */
const LOST: readonly number[] = [401, 403, 404, 409];

export function isLeaseLost(error: unknown): boolean {
  return (
    (isProblem(error) && LOST.includes(error.status)) ||
    (error instanceof RunlinkError && error.code === 'lease_lost')
  );
}

/** Calls the service until it answers, however long that takes, unless `lost` is aborted. */
export async function untilAnswered<T>(lost: AbortSignal, call: () => Promise<T>): Promise<T> {
  return retry(call, {
    signal: lost,
    pauseMs: (error, tries) => {
      lost.throwIfAborted();
      if (isLeaseLost(error))
        throw new RunlinkError('lease_lost', 'The lease is lost.', { cause: error });
      const isFinal = isProblem(error) && error.status < 500 && error.status !== 429;
      return isFinal || !isClientError(error) ? undefined : backoffMs(tries, BACKOFF);
    },
  });
}

export interface EntryDelivery {
  client: Client;
  runId: string;
  token: string;
  lost: AbortSignal;
}

/**
 * Delivers a batch of entries. An entry that the service refuses is replaced by a notice, so that
 * the log has no gap and the rest gets through.
 */
export async function deliver(delivery: EntryDelivery, events: WorkerEvent[]): Promise<void> {
  const { client, runId, token, lost } = delivery;
  try {
    await untilAnswered(lost, () =>
      client.worker.appendEvents(runId, { events }, { lease: token, signal: lost }),
    );
  } catch (error) {
    if (!isProblem(error) || (error.status !== 400 && error.status !== 413)) throw error;
    const [only, ...others] = events;
    if (!only) return;
    if (others.length > 0) {
      const half = Math.ceil(events.length / 2);
      await deliver(delivery, events.slice(0, half));
      return deliver(delivery, events.slice(half));
    }
    if (only.type === 'notice') throw error;
    const text = `An entry of type ${only.type} could not be stored: ${error.message}`;
    await deliver(delivery, [
      { type: 'notice', level: 'warn', text: text.slice(0, 4096), seq: only.seq, at: only.at },
    ]);
  }
}
