import { renderCheck } from '../../github/render/check.ts';
import type { Report } from '../../github/render/report.ts';
import type { CheckContent } from '../store/posts.ts';
import type { StoredRun } from '../store/runs.ts';

export const RETRY_BUTTON = 'retry';
export const FOLLOW_UP_BUTTON = 'follow_up';

/**
 * Shown by GitHub on completed checks only (github.md, "Reports"): label 20, description 40
 * characters.
 */
const BUTTONS = [
  { label: 'Retry', description: 'Start a new run with the same prompt', identifier: RETRY_BUTTON },
  {
    label: 'Follow up',
    description: 'Let the same run go on where it ended',
    identifier: FOLLOW_UP_BUTTON,
  },
];

/**
 * The check of a run on the head it is about. It stays open only while the run is watched; the text
 * depends on the run alone, so that nothing is written that says the same.
 */
export async function currentCheck(
  stored: StoredRun,
  report: Report,
  name: string,
): Promise<CheckContent> {
  const { external_id: _, completed_at: _now, ...rest } = await renderCheck(report, name);
  if (rest.status !== 'completed') return { ...rest, ...startedAt(stored) };
  const ended = stored.run.finished_at ?? stored.missingSince?.toISOString();
  return {
    ...rest,
    ...startedAt(stored),
    ...(ended ? { completed_at: ended } : {}),
    actions: BUTTONS,
  };
}

function startedAt(stored: StoredRun): { started_at?: string } {
  const started = stored.run.started_at ?? stored.run.created_at;
  return started ? { started_at: started } : {};
}

/** The check of the same run on a commit that is no longer the head. */
export function supersededCheck(name: string): CheckContent {
  return {
    name,
    status: 'completed',
    conclusion: 'neutral',
    output: {
      title: 'Superseded',
      summary: 'The branch has newer commits; see the check on its head.',
    },
  };
}
