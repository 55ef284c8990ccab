import { getState, saveState } from '@actions/core';

/**
 * What main leaves for post, should it be ended before it could finish: `run-id` has all ids; `notes` and
 * `cancel` are there when it ended by itself and what it had no time for remains.
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

/** What main left; empty where it left nothing. */
export function left(name: StateName): string {
  return getState(name);
}
