import { endpoints } from '../../contract/endpoints.ts';
import type { RunItem } from '../../contract/run.ts';
import type { Api } from '../api.ts';
import { stepText, toItem } from '../../contract/log-item.ts';

/** The most characters of a step in a row. */
const STEP_MAX = 160;

/** The latest step of each working run, by the run's id. */
export async function readSteps(api: Api, runs: RunItem[]): Promise<Map<string, string>> {
  const working = runs.filter((run) => run.state === 'INPROGRESS');
  const steps = working.map(async ({ run_id: runId }) => {
    const query = { limit: 1, type: ['message', 'tool_call', 'setup'] };
    const { entries } = await api.json(endpoints.runs.entries, { params: { runId }, query });
    const text = stepText(entries[0] && toItem(entries[0]));
    return [runId, text.slice(0, STEP_MAX).toWellFormed()] as const;
  });
  return new Map(await Promise.all(steps));
}
