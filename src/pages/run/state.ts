import type { RunState } from '../../contract/run.ts';

interface Look {
  label: string;
  /** What it means, for people who see it for the first time. */
  meaning: string;
}

/** The labels of a run's states. */
export const STATES: Record<RunState, Look> = {
  QUEUED: { label: 'Queued', meaning: 'Waiting for a worker.' },
  PENDING: { label: 'Starting', meaning: 'A worker is taking the run.' },
  INPROGRESS: { label: 'Working', meaning: 'The agent is working.' },
  SUCCEEDED: { label: 'Succeeded', meaning: 'The agent finished.' },
  FAILED: { label: 'Failed', meaning: 'The task could not be done.' },
  ERROR: { label: 'Error', meaning: 'Something broke that is not part of the task.' },
  BLOCKED: { label: 'Needs you', meaning: 'The agent is waiting for an answer.' },
  CANCELLED: { label: 'Cancelled', meaning: 'Somebody cancelled it.' },
};
