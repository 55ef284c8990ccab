import type { TerminalState, RunState } from '../../../contract/run.ts';
import { TERMINAL_STATES } from '../../../contract/run.ts';
import type { TimelineEvent } from '../../../contract/timeline.ts';

interface Transition {
  from: readonly RunState[];
  to: RunState;
  /** The event's type in the timeline. */
  event: TimelineEvent['event_type'];
}

/**
 * All state changes that a run can make (run-lifecycle.md, "States and transitions"). Any other is
 * refused.
 */
export const TRANSITIONS = {
  /** A worker takes it. */
  claim: { from: ['QUEUED'], to: 'PENDING', event: 'oz_run_claimed' },
  /** The worker begins. */
  acknowledge: { from: ['PENDING'], to: 'INPROGRESS', event: 'worker_container_ready' },
  /**
   * The claim was not acknowledged, the worker returned it, or the lease was lost before the agent
   * started.
   */
  requeue: { from: ['PENDING'], to: 'QUEUED', event: 'oz_run_requeued' },
  /** Somebody cancels it. */
  cancel: { from: ['QUEUED', 'INPROGRESS'], to: 'CANCELLED', event: 'oz_run_cancelled' },
  /** It was refused at dispatch, or waited longer than its limit. */
  refuse: { from: ['QUEUED'], to: 'FAILED', event: 'oz_run_failed' },
  /** After the agent started, the lease was lost or the run's time was up. */
  lose: { from: ['INPROGRESS'], to: 'ERROR', event: 'oz_run_errored' },
  /** The end as the worker reported it. */
  succeed: { from: ['INPROGRESS'], to: 'SUCCEEDED', event: 'oz_run_done' },
  fail: { from: ['INPROGRESS'], to: 'FAILED', event: 'oz_run_failed' },
  break: { from: ['INPROGRESS'], to: 'ERROR', event: 'oz_run_errored' },
  block: { from: ['INPROGRESS'], to: 'BLOCKED', event: 'oz_run_blocked' },
  /** A follow-up starts a new execution of a run that ended. */
  reopen: { from: TERMINAL_STATES, to: 'QUEUED', event: 'oz_run_reopened' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** The transition for each end state that a worker can report. */
export const ENDING = {
  SUCCEEDED: 'succeed',
  FAILED: 'fail',
  ERROR: 'break',
  BLOCKED: 'block',
  CANCELLED: 'cancel',
} as const satisfies Record<TerminalState, TransitionName>;

export function canMake(name: TransitionName, state: RunState): boolean {
  return (TRANSITIONS[name].from as readonly RunState[]).includes(state);
}
