/** Work that goes on until it is stopped. */
export interface Repeated {
  /**
   * Says that there may be something to do, so that the next step does not wait for the interval.
   */
  poke: () => void;
  /** Resolves when the step under way has ended. */
  stop: () => Promise<void>;
}

export interface RepeatOptions {
  /** Returns true if there is more to do at once. */
  step: (stopping: AbortSignal) => Promise<boolean | void>;
  everyMs: number;
  /**
   * Called when a step throws. It is tried again after the interval, so that no failure ends the
   * loop.
   */
  onError: (error: unknown) => void;
  /** The first step waits for the interval, too. */
  startsLater?: boolean;
}

/** Repeats a step: at once while it has more to do, else after a poke or the interval. */
export function repeat({ step, everyMs, onError, startsLater = false }: RepeatOptions): Repeated {
  const stopping = new AbortController();
  let isPoked = false;
  let wake = (): void => {};
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const tryStep = async (): Promise<boolean | void> => {
    try {
      return await step(stopping.signal);
    } catch (error) {
      onError(error);
      return false;
    }
  };
  const run = async (): Promise<void> => {
    if (startsLater) await pause();
    while (!stopping.signal.aborted) {
      isPoked = false;
      const hasMore = await tryStep();
      if (!hasMore && !isPoked && !stopping.signal.aborted) await pause();
    }
  };
  const running = run();
  return {
    poke: () => {
      isPoked = true;
      wake();
    },
    stop: async () => {
      stopping.abort();
      wake();
      await running;
    },
  };
}
