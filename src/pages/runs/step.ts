import { endpoints } from '../../contract/endpoints.ts';
import type { RunItem } from '../../contract/run.ts';
import type { Api } from '../api.ts';
import { toItem, type Item } from '../run/item.ts';

/** Longest step in a row. */
const STEP_MAX = 160;

/** What an agent does at this moment, in one line. */
function textOf(item: Item | undefined): string | undefined {
  if (item?.type === 'message') return item.text;
  if (item?.type === 'tool') return item.tool.command ?? item.tool.title;
  return item?.type === 'single' && item.event.type === 'setup' ? item.event.title : undefined;
}

/** The latest step of each working run, by the run's id. */
export async function readSteps(api: Api, runs: RunItem[]): Promise<Map<string, string>> {
  const working = runs.filter((run) => run.state === 'INPROGRESS');
  const steps = working.map(async ({ run_id: runId }) => {
    const query = { limit: 1, type: ['message', 'tool_call', 'setup'] };
    const { entries } = await api.json(endpoints.runs.entries, { params: { runId }, query });
    const text =
      textOf(entries[0] && toItem(entries[0]))
        ?.trim()
        .split('\n', 1)[0] ?? '';
    return [runId, text.slice(0, STEP_MAX).toWellFormed()] as const;
  });
  return new Map(await Promise.all(steps));
}
