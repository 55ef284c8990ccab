/** The states that a run of ours can be in (interface.md 3). */
export const RUN_STATES = [
  'QUEUED',
  'PENDING',
  'INPROGRESS',
  'SUCCEEDED',
  'FAILED',
  'ERROR',
  'BLOCKED',
  'CANCELLED',
] as const;

/**
 * States in which a run has ended. Every other value, known or not, means that it still works
 * (interface.md 3).
 */
export const TERMINAL_STATES = ['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];

export function isTerminal(state: string): state is TerminalState {
  return (TERMINAL_STATES as readonly string[]).includes(state);
}
