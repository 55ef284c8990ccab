import { errorMessage } from '../../base/error.ts';
import { isTerminal, type RunRead } from '../../contract/run.ts';
import { EXIT_CODES, exitCodeOfError, exitCodeOfRun } from '../exit-code.ts';
import { CommandInterrupted } from '../interrupt.ts';
import { printJsonLine } from '../output/json.ts';
import { describeRun } from '../output/run-text.ts';
import type { Remote } from '../remote/remote.ts';
import { itemText } from './item-text.ts';
import { feedRun } from '../../client/feed-run.ts';
import { RunLog, type Logged } from '../../client/run-log.ts';
import type { WatchFlags } from './watch-options.ts';

const CANCEL_WITHIN_MS = 5000;

/** Follows a run to its end and returns the exit code of its state. */
export async function followToEnd(remote: Remote<WatchFlags>, runId: string): Promise<number> {
  const { screen, options } = remote;
  const isLive = screen.canRedraw && !options.json;
  try {
    const follow = isLive ? (await import('./watch-live.ts')).watchLive : watchPlain;
    const run = await follow(remote, runId);
    if (run.state === 'BLOCKED') remote.say(`Answer it: runlink runs follow ${runId} "…"`);
    return exitCodeOfRun(run);
  } catch (error) {
    if (error instanceof CommandInterrupted)
      await leave(remote, runId, options.onInterrupt === 'cancel');
    else if (exitCodeOfError(error) === EXIT_CODES.unreachable[0])
      remote.say(`The run may go on. Follow it: runlink runs watch ${runId}`);
    throw error;
  }
}

/** Cancels the run if that was asked for; otherwise says how to continue watching. */
async function leave({ client, say }: Remote, runId: string, cancel: boolean): Promise<void> {
  if (!cancel) {
    say(`The run goes on. Follow it: runlink runs watch ${runId}`);
    return say(`End it: runlink runs cancel ${runId}`);
  }
  const signal = AbortSignal.timeout(CANCEL_WITHIN_MS);
  await client.runs.cancel(runId, { signal }).then(
    () => say(`Cancelled ${runId}.`),
    (error: unknown) => say(`The run could not be cancelled: ${errorMessage(error)}`),
  );
}

/**
 * Prints a line for each finished item, for pipes, logs and dumb terminals; or an entry a line as
 * JSON.
 */
async function watchPlain(remote: Remote<WatchFlags>, runId: string): Promise<RunRead> {
  const { client, options, screen, signal, say } = remote;
  const log = new RunLog();
  let last: RunRead | undefined;
  let [plan, told] = ['', ''];
  for await (const { run, entries, hasEarlier } of feedRun(client, runId, { signal })) {
    if (hasEarlier) say(`What came before: runlink runs entries ${runId}`);
    const state = [run.state, run.waiting?.message].filter(Boolean).join(': ');
    if (state !== told && !isTerminal(run.state)) say(state);
    told = state;
    log.add(entries);
    for (const logged of log.settle(run)) printLogged(remote, logged);
    const steps = options.json || !log.plan ? '' : itemText(screen, log.plan, true);
    if (steps !== plan) process.stdout.write(`${steps}\n`);
    plan = steps;
    last = run;
  }
  const run = last ?? (await client.runs.get(runId));
  if (options.json) printJsonLine(run, options.json);
  else process.stdout.write(`\n${await describeRun(remote, run)}\n`);
  return run;
}

function printLogged({ screen, options }: Remote, { entry, item }: Logged): void {
  if (options.json) return printJsonLine(entry, options.json);
  const text = itemText(screen, item);
  if (text !== '') process.stdout.write(`${text}\n`);
}
