import { createLogUpdate } from 'log-update';
import { allRuns } from '../../client/pages.ts';
import { watchAllRuns } from '../../client/watch-all-runs.ts';
import { isTerminal, type RunRead } from '../../contract/run.ts';
import { printJsonLine } from '../output/json.ts';
import { RUN_COLUMNS, stateCell } from '../output/run-text.ts';
import { paint, screenOf } from '../output/screen.ts';
import { renderList } from '../output/table.ts';
import { fit, oneLine } from '../output/text.ts';
import type { Remote } from '../remote/remote.ts';

/** Runs that ended longer ago leave the table. */
const ENDED_SHOWN_MS = 10 * 60_000;
const REDRAW_MS = 1000;
const LIVING = ['BLOCKED', 'INPROGRESS', 'PENDING', 'QUEUED'] as const;
/** Lines of the table that are no runs, and the longest a run takes on a narrow terminal. */
const OTHER_LINES = 3;
const CARD_LINES = 3;

/** Every run of the team as it changes, until Ctrl-C: a table drawn over, or a line for each change. */
export async function watchAll(remote: Remote): Promise<void> {
  const { client, signal, screen, options } = remote;
  const since = new Date(Date.now() - ENDED_SHOWN_MS);
  const runs = new Map<string, RunRead>();
  for await (const run of allRuns(client, { state: [...LIVING], limit: 100 }))
    runs.set(run.run_id, run);
  const isTable = screen.canRedraw && !options.json;
  const draw = isTable ? drawTable(runs) : undefined;
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

/** What needs somebody first, then what works, waits and has ended. */
function drawTable(runs: Map<string, RunRead>): () => void {
  const update = createLogUpdate(process.stdout, { showCursor: true });
  return () => {
    const screen = screenOf(process.stdout);
    const rows = (process.stdout.rows || 24) - OTHER_LINES;
    const oldest = Date.now() - ENDED_SHOWN_MS;
    for (const [id, run] of runs)
      if (
        isTerminal(run.state) &&
        run.state !== 'BLOCKED' &&
        Date.parse(run.updated_at ?? '') < oldest
      )
        runs.delete(id);
    const all = [...runs.values()].toSorted(byUrgency);
    const fitting = all.slice(0, screen.width < 100 ? Math.floor(rows / CARD_LINES) : rows);
    const counts = LIVING.map((state) => {
      const count = all.filter((run) => run.state === state).length;
      return `${count} ${stateCell(state, screen).text.slice(2).toLowerCase()}`;
    });
    const hidden = all.length - fitting.length;
    const foot = `${counts.join(' · ')}${hidden > 0 ? ` · ${hidden} more not shown` : ''} · Ctrl-C: leave`;
    update(
      `${renderList(screen, RUN_COLUMNS, fitting)}\n\n${paint(screen, 'dim', fit(foot, screen.width - 1))}`,
    );
  };
}

function byUrgency(a: RunRead, b: RunRead): number {
  const rank = ({ state }: RunRead): number => {
    const at = LIVING.findIndex((living) => living === state);
    return at < 0 ? LIVING.length : at;
  };
  return rank(a) - rank(b) || (b.updated_at ?? '').localeCompare(a.updated_at ?? '');
}
