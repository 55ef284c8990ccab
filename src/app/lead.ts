import { errorMessage } from '../base/error.ts';
import { sleep } from '../base/time.ts';
import type { AppContext } from './context.ts';
import { Loop } from './loop.ts';
import { publishStale } from './watch/publish-stale.ts';
import { recoverDeliveries } from './watch/recover-deliveries.ts';
import { sweep } from './watch/sweep.ts';
import { watchRuns } from './watch/watch.ts';

export interface LeadTimes {
  sweepEveryMs: number;
  recoverEveryMs: number;
  pollMs: number;
}

/** What one replica at a time does: watch all runs, show their news, sweep, ask for missed deliveries. */
export async function lead(
  context: AppContext,
  signal: AbortSignal,
  times: LeadTimes,
): Promise<void> {
  const showing = new Loop({
    name: 'show',
    step: () => publishStale(context),
    intervalMs: times.pollMs,
    log: context.log,
  });
  showing.start();
  await Promise.all([
    watchRuns(context, signal, () => showing.poke()),
    repeat(context, signal, 'sweep', times.sweepEveryMs, async () => {
      await sweep(context);
      showing.poke();
    }),
    repeat(context, signal, 'recover', times.recoverEveryMs, () =>
      recoverDeliveries(context, times.recoverEveryMs),
    ),
  ]);
  await showing.stop();
}

async function repeat(
  context: AppContext,
  signal: AbortSignal,
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      context.log.warn({ loop: name, error: errorMessage(error) }, 'step failed');
    }
    await sleep(everyMs, signal).catch(() => {});
  }
}
