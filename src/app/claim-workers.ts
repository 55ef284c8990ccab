import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';

export interface ClaimWorkersOptions<T, K> {
  /** Items worked on at the same time. */
  atOnce: number;
  /** Takes up to so many items for this replica. */
  claim: (limit: number) => Promise<T[]>;
  /** What makes an item itself. */
  keyOf: (item: T) => K;
  work: (item: T) => Promise<void>;
  /** Told when there is room for more. */
  onRoom: () => void;
  log: Log;
}

/**
 * Works on several claimed items side by side; a slow one holds up nothing but itself. One that comes
 * again while it is worked on, because its lease could not be renewed in time, is not begun twice.
 */
export class ClaimWorkers<T, K> {
  readonly #options: ClaimWorkersOptions<T, K>;
  readonly #inHand = new Map<K, Promise<void>>();

  constructor(options: ClaimWorkersOptions<T, K>) {
    this.#options = options;
  }

  /** What is worked on now: only this is to be kept from others. */
  get inHand(): K[] {
    return [...this.#inHand.keys()];
  }

  /** Takes what there is room for. */
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

  /** Resolves when all that was taken is done. */
  async drain(): Promise<void> {
    await Promise.all(this.#inHand.values());
  }
}
