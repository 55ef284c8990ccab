import type { Insert, NewDelivery } from '../store/deliveries.ts';

export type Stored = 'stored' | 'duplicate_delivery';

interface Waiting {
  delivery: NewDelivery;
  resolve: (stored: Stored) => void;
  reject: (error: unknown) => void;
}

/** Deliveries of one insert: bounds the size of a statement, not the inbox. */
const BATCH_MAX = 200;
const BATCH_MAX_BYTES = 4 * 1024 * 1024;
const INSERTS_AT_ONCE = 2;
/** So many make another insert worth its cost while one waits for its commit. */
const WORTH_ANOTHER = 8;

/**
 * Stores deliveries, those that arrive together or while inserts are under way in one insert: under
 * load one durable commit carries many, and a lone delivery is stored at once. Answers only what is
 * committed.
 */
export class Intake {
  readonly #insert: Insert;
  #waiting: Waiting[] = [];
  #workers = 0;

  constructor(insert: Insert) {
    this.#insert = insert;
  }

  store(delivery: NewDelivery): Promise<Stored> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ delivery, resolve, reject });
      if (this.#workers >= INSERTS_AT_ONCE || !this.#isWorthAnother(this.#workers)) return;
      this.#workers += 1;
      setImmediate(() => void this.#work());
    });
  }

  async #work(): Promise<void> {
    while (this.#isWorthAnother(this.#workers - 1)) await this.#flush(this.#take());
    this.#workers -= 1;
  }

  /** What is not worth an insert beside others waits for the first of them to end. */
  #isWorthAnother(others: number): boolean {
    return this.#waiting.length >= (others > 0 ? WORTH_ANOTHER : 1);
  }

  #take(): Waiting[] {
    let bytes = 0;
    const full = this.#waiting.findIndex((waiting, position) => {
      bytes += waiting.delivery.body.length;
      return position > 0 && (position >= BATCH_MAX || bytes > BATCH_MAX_BYTES);
    });
    return this.#waiting.splice(0, full === -1 ? this.#waiting.length : full);
  }

  async #flush(batch: Waiting[]): Promise<void> {
    try {
      const fresh = await this.#insert(batch.map((waiting) => waiting.delivery));
      for (const { delivery, resolve } of batch) {
        resolve(fresh.delete(delivery.guid) ? 'stored' : 'duplicate_delivery');
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
