import type { RunState } from '../../contract/run.ts';

interface Look {
  label: string;
  /** What it means, for people who see it for the first time. */
  meaning: string;
}

/** The states of a run in words. */
export const STATES: Record<RunState, Look> = {
  QUEUED: { label: 'Queued', meaning: 'Waiting for a worker.' },
  PENDING: { label: 'Starting', meaning: 'A worker is taking it.' },
  INPROGRESS: { label: 'Working', meaning: 'The agent is at work.' },
  SUCCEEDED: { label: 'Succeeded', meaning: 'The agent finished.' },
  FAILED: { label: 'Failed', meaning: 'The task could not be done.' },
  ERROR: { label: 'Error', meaning: 'Something broke on the way.' },
  BLOCKED: { label: 'Needs you', meaning: 'The agent waits for an answer.' },
  CANCELLED: { label: 'Cancelled', meaning: 'Somebody stopped it.' },
};
