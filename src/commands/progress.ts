import type { Client } from '../client/connect.ts';
import { isProblem } from '../client/error.ts';
import type { CallOptions } from '../client/send.ts';
import { toItem, type Item } from '../contract/log-item.ts';
import { costText } from '../contract/time-and-cost.ts';
import { isTerminal } from '../contract/run.ts';
import { progressOf, type Progress } from '../github/render/progress.ts';
import type { Report } from '../github/render/report.ts';
import type { Pace } from './face.ts';

/** Least time between two edits of a working run's comment (github.md, "Reports"). */
export const EDIT_EVERY_MS = 20_000;
/** What the agent does. Its thoughts are never shown. */
const STEPS = ['message', 'tool_call', 'setup'];

/**
 * When the comment of a run may be written. At the end, or if nobody watches any longer: at once.
 */
export function paceOf(
  { run, unwatched }: Pick<Report, 'run' | 'unwatched'>,
  everyMs: number,
): Pace | undefined {
  if (isTerminal(run.state) || unwatched) return undefined;
  // Waiting and starting usually pass quickly; then they are not worth an edit.
  const isBrief = run.state === 'QUEUED' || run.state === 'PENDING';
  return { everyMs, afterMs: isBrief ? everyMs / 4 : 0 };
}

/** The progress of a working run; undefined if its service does not tell. */
export async function readProgress(
  service: Client,
  runId: string,
  options: CallOptions,
): Promise<Progress | undefined> {
  const latest = async (type: string[], since: number): Promise<Item | undefined> => {
    const { entries } = await service.runs.entries(runId, { limit: 1, type }, options);
    const [entry] = entries;
    // The plan of an earlier execution is history.
    const isOld = Date.parse(entry?.events.at(-1)?.at ?? '') < since;
    return entry && !isOld ? toItem(entry) : undefined;
  };
  try {
    const run = await service.runs.get(runId, options);
    const since = Date.parse(run.executions?.at(-1)?.queued_at ?? '');
    const [plan, step] = await Promise.all([latest(['plan'], since), latest(STEPS, since)]);
    return progressOf(plan, step, costText(run));
  } catch (error) {
    if (isProblem(error) && error.status < 500 && error.status !== 429) return undefined;
    throw error;
  }
}
