import { errorMessage } from '../base/error.ts';
import { repeat, type Repeated } from '../base/repeat.ts';
import type { AppContext } from './context.ts';
import { runsToReadAgain } from './store/pulls.ts';
import { markStale } from './store/runs.ts';
import { publishStale } from './watch/publish-stale.ts';
import { recoverDeliveries } from './watch/recover-deliveries.ts';
import { showProgress } from './watch/show-progress.ts';
import { sweep } from './watch/sweep.ts';
import { watchRuns } from './watch/watch.ts';

export interface LeadTimes {
  sweepEveryMs: number;
  recoverEveryMs: number;
  pollMs: number;
}

/**
 * The work of the one leading replica: watches all runs, shows their news, sweeps, and asks GitHub
 * for missed deliveries.
 */
export async function lead(
  context: AppContext,
  signal: AbortSignal,
  { sweepEveryMs, recoverEveryMs, pollMs }: LeadTimes,
): Promise<void> {
  const begin = (name: string, everyMs: number, step: () => Promise<boolean | void>): Repeated => {
    const onError = (error: unknown): void =>
      context.log.warn({ loop: name, error: errorMessage(error) }, 'step failed');
    return repeat({ step, everyMs, onError });
  };
  const showing = begin('show', pollMs, () => publishStale(context));
  const looking = begin('progress', pollMs, () => showProgress(context));
  const again = begin('again', context.settings.againEveryMs, async () => {
    await markStale(context.db, await runsToReadAgain(context.db));
    showing.poke();
  });
  const sweeping = begin('sweep', sweepEveryMs, async () => {
    await sweep(context);
    showing.poke();
  });
  const recovering = begin('recover', recoverEveryMs, async () => {
    await recoverDeliveries(context, recoverEveryMs);
  });
  try {
    await watchRuns(context, signal, showing.poke);
  } finally {
    await Promise.all([showing, looking, again, sweeping, recovering].map((loop) => loop.stop()));
  }
}
