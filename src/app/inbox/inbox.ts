import type { AppContext } from '../context.ts';
import { claimDeliveries } from '../store/deliveries.ts';
import { handleDelivery } from './handle-delivery.ts';

/** Deliveries handled at the same time by one replica; most of their time is waiting for answers. */
const AT_ONCE = 16;

/** Works the inbox off: in order within a thread, side by side across threads. */
export class Inbox {
  readonly #context: AppContext;
  readonly #onDone: () => void;
  readonly #working = new Set<Promise<void>>();

  /** `onDone` is told when there is room for more. */
  constructor(context: AppContext, onDone: () => void) {
    this.#context = context;
    this.#onDone = onDone;
  }

  /** Takes what there is room for; answers whether there may be more at once. */
  async take(): Promise<boolean> {
    const room = AT_ONCE - this.#working.size;
    if (room <= 0) return false;
    const { db, replica } = this.#context;
    const deliveries = await claimDeliveries(db, replica, room);
    for (const delivery of deliveries) this.#begin(handleDelivery(this.#context, delivery));
    return false;
  }

  #begin(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) =>
        this.#context.log.error({ error }, 'delivery left to the next try'),
      )
      .finally(() => {
        this.#working.delete(done);
        this.#onDone();
      });
    this.#working.add(done);
  }

  /** Resolves when all that was taken is handled. */
  async drain(): Promise<void> {
    await Promise.all(this.#working);
  }
}
