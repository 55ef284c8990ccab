import type { UpdateObject } from 'kysely';
import { RunlinkError } from '../../../base/error.ts';
import type { ServiceTables, Trx } from '../../tables.ts';
import type { Topic } from '../../waiting/changes.ts';
import { MOMENT, appendToLog } from '../log/append.ts';
import { TRANSITIONS, canMake, type TransitionName } from './state-machine.ts';
import { noteChange } from './change-runs.ts';
import type { LockedRun } from './lock-run.ts';

interface Change {
  /** Further columns to change. */
  set?: Omit<UpdateObject<ServiceTables, 'runs'>, 'state' | 'updated_at' | 'log_position' | 'id'>;
  /** The payload of the timeline event. */
  payload?: Record<string, unknown>;
  /** Further topics to notify, besides the run, its team and its log. */
  announce?: readonly Topic[];
}

/**
 * Changes a run's state, adds the timeline event and notifies those who wait. Runs in the caller's
 * `changeRuns` transaction, which has locked the run's row. Other writers: run-lifecycle.md, "The
 * log".
 */
export async function transition(
  trx: Trx,
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
