import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';

export interface ClaimWorkersOptions<T, K> {
  /** How many items are worked on at the same time. */
  atOnce: number;
  /** Claims up to `limit` items for this replica. */
  claim: (limit: number) => Promise<T[]>;
  /** What identifies an item. */
  keyOf: (item: T) => K;
  work: (item: T) => Promise<void>;
  /** Called when there is room for more. */
  onRoom: () => void;
  log: Log;
}

/**
 * Works on several claimed items side by side, so that a slow one delays no other. An item that is
 * claimed again while it is still worked on, because its lease could not be renewed in time, is not
 * begun twice.
 */
export class ClaimWorkers<T, K> {
  readonly #options: ClaimWorkersOptions<T, K>;
  readonly #inHand = new Map<K, Promise<void>>();

  constructor(options: ClaimWorkersOptions<T, K>) {
    this.#options = options;
  }

  /** The keys of the items in work, whose leases must be renewed. */
  get inHand(): K[] {
    return [...this.#inHand.keys()];
  }

  /** Claims as many items as there is room for. */
  async take(): Promise<void> {
    const { atOnce, claim, keyOf } = this.#options;
    const room = atOnce - this.#inHand.size;
    if (room <= 0) return;
    for (const item of await claim(room)) {
      if (!this.#inHand.has(keyOf(item))) this.#begin(item);
    }
  }

  #begin(item: T): void {
    const { work, keyOf, onRoom, log } = this.#options;
    const done = work(item)
      .catch((error: unknown) => log.error({ error: errorMessage(error) }, 'left to the next try'))
      .finally(() => {
        this.#inHand.delete(keyOf(item));
        onRoom();
      });
    this.#inHand.set(keyOf(item), done);
  }

  /** Resolves when every claimed item is done. */
  async drain(): Promise<void> {
    await Promise.all(this.#inHand.values());
  }
}
