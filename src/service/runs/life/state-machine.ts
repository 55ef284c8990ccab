import type { TerminalState, RunState } from '../../../contract/run.ts';
import { TERMINAL_STATES } from '../../../contract/run.ts';
import type { TimelineEvent } from '../../../contract/timeline.ts';

interface Transition {
  from: readonly RunState[];
  to: RunState;
  /** What the timeline says of it. */
  event: TimelineEvent['event_type'];
}

/**
 * Every change of state a run can make (run-lifecycle.md, "States and transitions"). What is not
 * here cannot be written.
 */
export const TRANSITIONS = {
  /** A worker takes it. */
  claim: { from: ['QUEUED'], to: 'PENDING', event: 'oz_run_claimed' },
  /** The worker begins. */
  acknowledge: { from: ['PENDING'], to: 'INPROGRESS', event: 'worker_container_ready' },
  /** The claim was not acknowledged, given back, or its lease lost before the agent started. */
  requeue: { from: ['PENDING'], to: 'QUEUED', event: 'oz_run_requeued' },
  /** Somebody cancels it. */
  cancel: { from: ['QUEUED', 'INPROGRESS'], to: 'CANCELLED', event: 'oz_run_cancelled' },
  /** Refused at dispatch, or waited longer than its limit. */
  refuse: { from: ['QUEUED'], to: 'FAILED', event: 'oz_run_failed' },
  /** The lease was lost, or its time was up, after the agent started. */
  lose: { from: ['INPROGRESS'], to: 'ERROR', event: 'oz_run_errored' },
  /** How the worker said that it ended. */
  succeed: { from: ['INPROGRESS'], to: 'SUCCEEDED', event: 'oz_run_done' },
  fail: { from: ['INPROGRESS'], to: 'FAILED', event: 'oz_run_failed' },
  break: { from: ['INPROGRESS'], to: 'ERROR', event: 'oz_run_errored' },
  block: { from: ['INPROGRESS'], to: 'BLOCKED', event: 'oz_run_blocked' },
  /** A follow-up starts a new execution of a run that ended. */
  reopen: { from: TERMINAL_STATES, to: 'QUEUED', event: 'oz_run_reopened' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** The transition by which a worker's last word ends a run. */
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
