import type { CheckButton } from '../../github/render/check.ts';

export const RETRY_BUTTON = 'retry';
export const FOLLOW_UP_BUTTON = 'follow_up';

/** The buttons on the check of a run that ended. */
export const BUTTONS: CheckButton[] = [
  { label: 'Retry', description: 'Start a new run with the same prompt', identifier: RETRY_BUTTON },
  {
    label: 'Follow up',
    description: 'Let the same run go on where it ended',
    identifier: FOLLOW_UP_BUTTON,
  },
];
