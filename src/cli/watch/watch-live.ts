import type { RunRead } from '../../contract/run.ts';
import { describeRun } from '../output/run-text.ts';
import { oneLine } from '../output/text.ts';
import type { Remote } from '../remote/remote.ts';
import { itemText, noticeText } from './item-text.ts';
import { LiveScreen } from './live-screen.ts';
import { feedRun } from '../../client/feed-run.ts';
import { RunLog } from '../../client/run-log.ts';
import { TerminalViewer } from './viewer.ts';
import type { WatchFlags } from './watch-options.ts';

/**
 * Follows a run on a terminal. A run that waits for an answer is followed further once it got one.
 */
export async function watchLive(remote: Remote<WatchFlags>, runId: string): Promise<RunRead> {
  const { screen, say } = remote;
  const drawn = new LiveScreen(screen);
  const viewer = new TerminalViewer(remote, runId, drawn);
  const log = new RunLog();
  const restore = remote.divertRemarks((text) => drawn.remark(text));
  let run: RunRead;
  let draft = '';
  try {
    for (;;) {
      run = await followOnce(remote, runId, { drawn, viewer, log });
      if (await viewer.goesOn()) continue;
      if (run.state !== 'BLOCKED' || !viewer.canType) break;
      const asked = run.status_message?.message;
      if (asked) drawn.print(noticeText(screen, 'ask', asked));
      drawn.remark('The agent waits for your answer.');
      await viewer.sent();
    }
  } finally {
    draft = viewer.close();
    drawn.close();
    restore();
  }
  process.stdout.write(`\n${await describeRun(remote, run)}\n`);
  if (draft !== '') say(`Not sent: ${oneLine(draft)}\nSend it: runlink runs follow ${runId} "…"`);
  return run;
}

async function followOnce(
  { client, screen }: Remote,
  runId: string,
  { drawn, viewer, log }: { drawn: LiveScreen; viewer: TerminalViewer; log: RunLog },
): Promise<RunRead> {
  const { typed, question, signal } = viewer;
  let last: RunRead | undefined;
  for await (const { run, entries, hasEarlier } of feedRun(client, runId, { signal })) {
    if (hasEarlier && !last) drawn.print(`(what came before: runlink runs entries ${runId})`);
    log.add(entries);
    const text = log
      .settle(run)
      .map(({ item }) => itemText(screen, item))
      .filter((each) => each !== '');
    if (text.length > 0) drawn.print(text.join('\n'));
    drawn.show({ run, log, typed, question });
    last = run;
  }
  return last ?? client.runs.get(runId, { signal });
}
