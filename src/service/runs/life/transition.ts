import type { Transaction, UpdateObject } from 'kysely';
import { RunlinkError } from '../../../base/error.ts';
import type { ServiceTables } from '../../tables.ts';
import type { Topic } from '../../waiting/changes.ts';
import { MOMENT, appendToLog } from '../log/append.ts';
import { TRANSITIONS, canMake, type TransitionName } from './state-machine.ts';
import { noteChange } from './change-runs.ts';
import type { LockedRun } from './lock-run.ts';

interface Change {
  /** Columns that change along. */
  set?: Omit<UpdateObject<ServiceTables, 'runs'>, 'state' | 'updated_at' | 'log_position' | 'id'>;
  /** What the timeline's event carries. */
  payload?: Record<string, unknown>;
  /** Who else must hear of it, beside those who watch the run and its team. */
  announce?: readonly Topic[];
}

/**
 * Changes a run's state, with its timeline event and the call to those who wait, in the caller's transaction
 * of `changeRuns`, which holds the run's row. Who else does: run-lifecycle.md, "The log".
 */
export async function transition(
  trx: Transaction<ServiceTables>,
  run: LockedRun,
  name: TransitionName,
  { set, payload, announce = [] }: Change = {},
): Promise<void> {
  const { to, event } = TRANSITIONS[name];
  if (!canMake(name, run.state))
    throw new RunlinkError('impossible_transition', `A ${run.state} run cannot make "${name}".`);
  await appendToLog(trx, run.id, {
    events: [{ type: 'lifecycle', data: { event_type: event, ...(payload ? { payload } : {}) } }],
    set: { ...set, state: to, updated_at: MOMENT },
    announce: [`run:${run.id}`, `team:${run.team_id}`, `log:${run.id}`, ...announce],
  });
  noteChange(trx, to);
}
