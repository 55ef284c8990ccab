import { isTerminal, type TerminalState } from '../../contract/run-state.ts';
import type { Reason } from '../decide/reason.ts';

export type Conclusion = 'success' | 'failure' | 'neutral' | 'cancelled';
export type Reaction = 'eyes' | 'rocket' | '-1' | 'confused';

interface Presentation {
  icon: string;
  words: string;
}

interface Ending extends Presentation {
  conclusion: Conclusion;
  reaction: Reaction;
  reason: Reason;
}

/** How each end of a run looks on GitHub. */
export const ENDINGS: Record<TerminalState, Ending> = {
  SUCCEEDED: {
    icon: '✅',
    words: 'Done',
    conclusion: 'success',
    reaction: 'rocket',
    reason: 'succeeded',
  },
  FAILED: {
    icon: '❌',
    words: 'Failed',
    conclusion: 'failure',
    reaction: '-1',
    reason: 'failed',
  },
  ERROR: {
    icon: '💥',
    words: 'Stopped by an error',
    conclusion: 'failure',
    reaction: '-1',
    reason: 'errored',
  },
  BLOCKED: {
    icon: '✋',
    words: 'Waiting for an answer',
    conclusion: 'neutral',
    reaction: 'confused',
    reason: 'blocked',
  },
  CANCELLED: {
    icon: '⏹️',
    words: 'Cancelled',
    conclusion: 'cancelled',
    reaction: 'confused',
    reason: 'cancelled',
  },
};

const WORKING: Record<string, Presentation> = {
  QUEUED: { icon: '⏳', words: 'Waiting to start' },
  PENDING: { icon: '⏳', words: 'Starting' },
  INPROGRESS: { icon: '🔄', words: 'Working' },
};

/** Unknown states count as working (interface.md 3). */
export function presentState(state: string): Presentation {
  if (isTerminal(state)) return ENDINGS[state];
  return WORKING[state] ?? { icon: '🔄', words: 'Working' };
}
