import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';

/**
 * Repeats a step while it has work, then waits for a poke or the interval. A step that throws is
 * logged and tried again after the interval, so that no fault ends the loop.
 */
export class Loop {
  readonly #name: string;
  readonly #step: () => Promise<boolean | void>;
  readonly #intervalMs: number;
  readonly #log: Log;
  #poked = false;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #stopping = false;

  constructor(options: {
    name: string;
    /** May answer true: there is more to do at once. */
    step: () => Promise<boolean | void>;
    intervalMs: number;
    log: Log;
  }) {
    this.#name = options.name;
    this.#step = options.step;
    this.#intervalMs = options.intervalMs;
    this.#log = options.log;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  poke(): void {
    this.#poked = true;
    this.#wake?.();
  }

  /** Resolves when the step under way has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#poked = false;
      const again = await this.#try();
      if (!again && !this.#poked && !this.#stopping) await this.#pause();
    }
  }

  async #try(): Promise<boolean | void> {
    try {
      return await this.#step();
    } catch (error) {
      this.#log.error({ loop: this.#name, error: errorMessage(error) }, 'step failed');
      return false;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, this.#intervalMs);
      const wake = (): void => {
        clearTimeout(timer);
        done();
      };
      this.#wake = wake;
      function done(): void {
        resolve();
      }
    });
  }
}
