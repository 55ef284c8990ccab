import { allRuns } from '../../client/pages.ts';
import { watchAllRuns } from '../../client/watch-all-runs.ts';
import { isTerminal, type RunRead } from '../../contract/run.ts';
import { serviceNow } from '../output/clock.ts';
import { drawOver } from '../output/draw-over.ts';
import { printJsonLine } from '../output/json.ts';
import { RUN_COLUMNS, stateCell } from '../output/run-text.ts';
import { paint, type Screen } from '../output/screen.ts';
import { renderList } from '../output/table.ts';
import { oneLine, wrap } from '../output/text.ts';
import type { Remote } from '../remote/remote.ts';

/** Runs that ended longer ago leave the table. */
const ENDED_SHOWN_MS = 10 * 60_000;
const REDRAW_MS = 1000;
const LIVING = ['BLOCKED', 'INPROGRESS', 'PENDING', 'QUEUED'] as const;

/**
 * Shows every run of the team as it changes, until Ctrl-C: as a live table, or as one line per
 * change.
 */
export async function watchAll(remote: Remote): Promise<void> {
  const { client, signal, screen, options } = remote;
  const runs = new Map<string, RunRead>();
  for await (const run of allRuns(client, { state: [...LIVING], limit: 100 }))
    runs.set(run.run_id, run);
  const since = new Date(serviceNow().getTime() - ENDED_SHOWN_MS);
  const isTable = screen.canRedraw && !options.json;
  const draw = isTable ? drawTable(runs, screen) : undefined;
  const timer = draw && setInterval(draw, REDRAW_MS);
  draw?.();
  try {
    for await (const run of watchAllRuns(client, { since, signal })) {
      const before = runs.get(run.run_id)?.state;
      runs.set(run.run_id, run);
      if (draw) draw();
      else if (options.json) printJsonLine(run, options.json);
      else if (run.state !== before) process.stdout.write(`${changeLine(run)}\n`);
    }
  } finally {
    clearInterval(timer);
  }
}

function changeLine(run: RunRead): string {
  return oneLine(`${run.updated_at ?? ''}  ${run.run_id}  ${run.state}  ${run.title ?? ''}`);
}

/**
 * Draws what needs somebody first, then what works, waits and has ended, as far as there is room.
 */
function drawTable(runs: Map<string, RunRead>, screen: Screen): () => void {
  const { draw } = drawOver(screen.stream);
  return () => {
    const oldest = serviceNow().getTime() - ENDED_SHOWN_MS;
    for (const [id, run] of runs)
      if (
        isTerminal(run.state) &&
        run.state !== 'BLOCKED' &&
        Date.parse(run.updated_at ?? '') < oldest
      )
        runs.delete(id);
    const all = [...runs.values()].toSorted(byUrgency);
    const rows = screen.stream.rows || 24;
    let frame: string;
    let shown = Math.min(all.length, rows);
    do frame = tableText(screen, all, shown);
    while (frame.split('\n').length >= rows && (shown -= 1) > 0);
    draw(frame);
  };
}

function tableText(screen: Screen, all: readonly RunRead[], shown: number): string {
  const counts = LIVING.map((state) => {
    const count = all.filter((run) => run.state === state).length;
    return `${count} ${stateCell(state, screen).text.slice(2).toLowerCase()}`;
  });
  const hidden = all.length > shown ? [`${all.length - shown} more not shown`] : [];
  const foot = [...counts, ...hidden, 'Ctrl-C: leave'].join(` ${screen.signs.note} `);
  const table = renderList(screen, RUN_COLUMNS, all.slice(0, shown));
  return `${table}\n\n${paint(screen, 'dim', wrap(foot, screen.width - 1))}`;
}

function byUrgency(a: RunRead, b: RunRead): number {
  const rank = ({ state }: RunRead): number => {
    const at = LIVING.findIndex((living) => living === state);
    return at < 0 ? LIVING.length : at;
  };
  return rank(a) - rank(b) || (b.updated_at ?? '').localeCompare(a.updated_at ?? '');
}
