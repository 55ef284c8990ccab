/** Everything the Action does to its runner; `runner-protocol.ts` makes one. */
export interface Runner {
  info: (line: string) => void;
  debug: (line: string) => void;
  /** Annotations: one line each. */
  notice: (line: string) => void;
  warning: (line: string) => void;
  error: (line: string) => void;
  /** Prints text of others so that the runner takes no command from it (threats.md G11). */
  quote: (text: string) => void;
  secret: (value: string) => void;
  output: (name: string, value: string) => void;
  /** Kept for the post step. */
  state: (name: StateName, value: string) => void;
  summary: (markdown: string) => void;
  /** Fails the step. */
  fail: (line: string) => void;
}

/**
 * What main leaves for post, should it be ended before it could finish; `run-id` has all ids, `notes` and
 * `cancel` are there when it ended by itself and what it had no time for remains.
 */
export const STATE_NAMES = [
  'started',
  'request-id',
  'run-id',
  'comment-id',
  'check-id',
  'head-sha',
  'attached',
  'notes',
  'cancel',
  'finished',
] as const;
export type StateName = (typeof STATE_NAMES)[number];
