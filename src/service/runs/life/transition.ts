import { sql, type Transaction, type UpdateObject } from 'kysely';
import { RunlinkError } from '../../../base/error.ts';
import type { ServiceTables } from '../../tables.ts';
import { announcement, type Topic } from '../../waiting/changes.ts';
import { TRANSITIONS, canMake, type TransitionName } from './state-machine.ts';
import type { LockedRun } from './lock-run.ts';

/** The moment of a change: later than every change of this run before it, whatever the clock does. */
export const CHANGED_AT = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 ms')`;

interface Change {
  /** Columns that change along. */
  set?: Omit<UpdateObject<ServiceTables, 'runs'>, 'state' | 'updated_at' | 'log_position' | 'id'>;
  /** What the timeline's event carries. */
  payload?: Record<string, unknown>;
  /** Who else must hear of it, beside those who watch the run and its team. */
  announce?: readonly Topic[];
}

/**
 * The only way a run's state is written: the change, its timeline event and the call to those who
 * wait, in the caller's transaction, which holds the run's row.
 */
export async function transition(
  trx: Transaction<ServiceTables>,
  run: LockedRun,
  name: TransitionName,
  change: Change = {},
): Promise<void> {
  const { to, event } = TRANSITIONS[name];
  if (!canMake(name, run.state))
    throw new RunlinkError('impossible_transition', `A ${run.state} run cannot make "${name}".`);
  const topics: Topic[] = [
    `run:${run.id}`,
    `team:${run.team_id}`,
    `log:${run.id}`,
    ...(change.announce ?? []),
  ];
  const data = { event_type: event, ...(change.payload ? { payload: change.payload } : {}) };
  await trx
    .with('changed', (q) =>
      q
        .updateTable('runs')
        .set({
          ...change.set,
          state: to,
          updated_at: CHANGED_AT,
          log_position: sql<number>`log_position + 1`,
        })
        .where('id', '=', run.id)
        .returning(['id', 'log_position', 'updated_at', 'attempt']),
    )
    .with('logged', (q) =>
      q
        .insertInto('run_events')
        .columns(['run_id', 'position', 'attempt', 'type', 'at', 'data'])
        .expression((e) =>
          e
            .selectFrom('changed')
            .select((s) => [
              'changed.id',
              'changed.log_position',
              sql<number>`greatest(changed.attempt, 1)`.as('attempt'),
              s.val('lifecycle').as('type'),
              'changed.updated_at',
              sql<string>`${JSON.stringify(data)}::jsonb`.as('data'),
            ]),
        ),
    )
    .selectNoFrom(announcement(topics).as('announced'))
    .execute();
}
