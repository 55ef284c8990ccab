import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';

export interface WorkersOptions<T> {
  /** Items worked on at the same time. */
  atOnce: number;
  /** Takes up to so many items for this replica. */
  claim: (limit: number) => Promise<T[]>;
  work: (item: T) => Promise<void>;
  /** Told when there is room for more. */
  onRoom: () => void;
  log: Log;
}

/** Works on several claimed items side by side; a slow one holds up nothing but itself. */
export class Workers<T> {
  readonly #options: WorkersOptions<T>;
  readonly #working = new Set<Promise<void>>();

  constructor(options: WorkersOptions<T>) {
    this.#options = options;
  }

  /** Takes what there is room for. */
  async take(): Promise<void> {
    const { atOnce, claim } = this.#options;
    const room = atOnce - this.#working.size;
    if (room <= 0) return;
    for (const item of await claim(room)) this.#begin(item);
  }

  #begin(item: T): void {
    const { work, onRoom, log } = this.#options;
    const done = work(item)
      .catch((error: unknown) => log.error({ error: errorMessage(error) }, 'left to the next try'))
      .finally(() => {
        this.#working.delete(done);
        onRoom();
      });
    this.#working.add(done);
  }

  /** Resolves when all that was taken is done. */
  async drain(): Promise<void> {
    await Promise.all(this.#working);
  }
}
