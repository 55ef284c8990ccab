import type { Client } from '../client/client.ts';
import { watchRun } from '../client/watch-run.ts';
import type { RunRead } from '../contract/run.ts';
import { Interrupted } from './interrupt.ts';
import { describeRun, exitCodeOf, paintState, runDuration } from './show-run.ts';
import { paint, plain, printJson } from './terminal.ts';

/** Shows a run's changes on standard error as they come and the run on standard output when it ends. */
export async function followRun(
  client: Client,
  runId: string,
  options: { signal: AbortSignal; json: boolean },
): Promise<number> {
  let last: RunRead | undefined;
  try {
    for await (const run of watchRun(client, runId, { signal: options.signal })) {
      if (run.state !== last?.state) printChange(run);
      last = run;
    }
  } catch (error) {
    if (error instanceof Interrupted) sayHowToGoOn(runId);
    throw error;
  }
  if (!last) return 1;
  if (options.json) printJson(last);
  else process.stdout.write(`${describeRun(process.stdout, last)}\n`);
  return exitCodeOf(last);
}

function printChange(run: RunRead): void {
  const line = [
    paintState(process.stderr, run.state),
    runDuration(run),
    plain(run.session_link ?? ''),
  ];
  process.stderr.write(`${line.filter(Boolean).join('  ')}\n`);
}

function sayHowToGoOn(runId: string): void {
  const text = `The run goes on. Follow it: runlink runs watch ${runId} · end it: runlink runs cancel ${runId}`;
  process.stderr.write(`${paint(process.stderr, 'dim', text)}\n`);
}
