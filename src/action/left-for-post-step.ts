import { getState, saveState } from '@actions/core';

/**
 * What the main step saves for the post step, in case it is killed. `run-id` holds all run ids;
 * `notes` and `cancel` are set when main ended by itself but ran out of time.
 */
export type StateName =
  | 'started'
  | 'request-id'
  | 'run-id'
  | 'comment-id'
  | 'check-id'
  | 'head-sha'
  | 'attached'
  | 'notes'
  | 'cancel'
  | 'finished';

export function leave(name: StateName, value: string): void {
  saveState(name, value);
}

/** What the main step saved under this name; empty if nothing. */
export function left(name: StateName): string {
  return getState(name);
}
