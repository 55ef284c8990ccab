import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { dropLeases, holdLease, type Replica } from './store/replica.ts';
import type { AppDb } from './store/tables.ts';

/** Work that one replica at a time does, until its signal is aborted. */
export type LeaderWork = (signal: AbortSignal) => Promise<void>;

const NAME = 'leader';

/**
 * Lets one replica at a time do the work. Another takes over when the leader stops renewing its
 * lease; a leader that cannot renew in time stops before that. Work that ends by itself is begun
 * again.
 */
export class Leader {
  readonly #db: AppDb;
  readonly #replica: Replica;
  readonly #work: LeaderWork;
  readonly #log: Log;
  #leadership: { controller: AbortController; done: Promise<void> } | undefined;
  #heldUntil = 0;

  constructor(db: AppDb, replica: Replica, work: LeaderWork, log: Log) {
    this.#db = db;
    this.#replica = replica;
    this.#work = work;
    this.#log = log;
  }

  get leads(): boolean {
    return this.#leadership !== undefined;
  }

  /** Takes, renews or gives up the lead. Call it several times within each lease. */
  async renew(): Promise<void> {
    if (await this.#hold()) this.#leadership ??= this.#begin();
    else this.#leadership?.controller.abort();
  }

  /** If the database does not answer, the lead lasts only as long as it was granted. */
  async #hold(): Promise<boolean> {
    const asked = performance.now();
    try {
      const holds = await holdLease(this.#db, this.#replica, NAME);
      if (holds) this.#heldUntil = asked + this.#replica.leaseMs;
      return holds;
    } catch (error) {
      this.#log.warn({ error: errorMessage(error) }, 'lease not renewed');
      return performance.now() < this.#heldUntil;
    }
  }

  async stop(): Promise<void> {
    this.#leadership?.controller.abort();
    await this.#leadership?.done;
    // If it cannot be given back, it expires.
    await dropLeases(this.#db, this.#replica).catch((error: unknown) =>
      this.#log.warn({ error: errorMessage(error) }, 'lease not given back'),
    );
  }

  #begin(): { controller: AbortController; done: Promise<void> } {
    const controller = new AbortController();
    const done = this.#work(controller.signal)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) {
          this.#log.error({ error: errorMessage(error) }, 'leader’s work ended');
        }
      })
      .finally(() => {
        this.#leadership = undefined;
      });
    this.#log.info({ replica: this.#replica.id }, 'leads');
    return { controller, done };
  }
}
