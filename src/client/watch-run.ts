import { WAIT_MAX_SECONDS } from '../contract/endpoint.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { sleep } from '../base/time.ts';
import type { Answered, Client } from './connect.ts';
import { mayAskAtOnce, runIntervalMs } from './interval.ts';
import type { CallOptions } from './send.ts';

export type WatchOptions = Pick<CallOptions, 'signal' | 'deadlineMs' | 'headers'>;

/**
 * Yields the run as it is now and after each change, and ends with its terminal state. If the
 * service holds requests, a change is seen at once; otherwise the pause between reads grows with
 * the run's age. If reading fails for longer than `deadlineMs`, throws the failure.
 */
export async function* watchRun(
  client: Pick<Client, 'ask'>,
  runId: string,
  options: WatchOptions = {},
): AsyncGenerator<RunRead, void, void> {
  const started = performance.now();
  let etag: string | undefined;
  let waits: boolean | undefined;
  let last: string | undefined;
  for (;;) {
    const begun = performance.now();
    const look: Answered<RunRead> = await client.ask('runs', 'get', [runId], {
      ...options,
      waitSeconds: WAIT_MAX_SECONDS,
      etag,
    });
    const tookMs = performance.now() - begun;
    const seen = look.value === undefined ? last : JSON.stringify(look.value);
    const changed = seen !== last;
    if (look.value !== undefined && changed) {
      yield look.value;
      if (isTerminal(look.value.state)) return;
    }
    if (etag !== undefined || look.waited) waits = look.waited;
    last = seen;
    const sent = etag;
    etag = look.etag ?? etag;
    if (mayAskAtOnce({ waited: look.waited, changed, sent, etag, waits, tookMs })) continue;
    await sleep(runIntervalMs(performance.now() - started, Math.random), options.signal);
  }
}
