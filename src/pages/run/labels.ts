import { html } from 'hono/html';
import type { Html } from '../html.ts';

export type Mark = 'good' | 'bad' | 'warn' | 'busy' | 'note';

const MARKS: Record<Mark, { sign: string; words: string }> = {
  good: { sign: '✓', words: 'Done:' },
  bad: { sign: '✕', words: 'Failed:' },
  warn: { sign: '!', words: 'Note:' },
  busy: { sign: '', words: 'Under way:' },
  note: { sign: '·', words: '' },
};

/** The sign at the start of a line, with its meaning for screen readers. */
export function mark(kind: Mark): Html {
  const { sign, words } = MARKS[kind];
  const spoken = words === '' ? '' : html`<span class="visually-hidden">${words}</span>`;
  return html`<span class="mark ${kind}" aria-hidden="true">${sign}</span>${spoken}`;
}

const EVENTS: Record<string, string> = {
  oz_run_created: 'Created',
  oz_run_waiting: 'Waits for a worker',
  oz_run_claimed: 'Taken by a worker',
  worker_container_ready: 'Workspace ready',
  shared_session_started: 'Session open',
  agent_started: 'Agent started',
  oz_run_done: 'Succeeded',
  oz_run_blocked: 'Waiting for an answer',
  oz_run_cancelled: 'Cancelled',
  oz_run_failed: 'Failed',
  oz_run_errored: 'Ended with an error',
  vm_shutdown: 'Workspace closed',
  setup_clone: 'Repository cloned',
  setup_setup_command: 'Set-up command',
  setup_start_agent: 'Agent process started',
  setup_network: 'Host refused',
  setup_push: 'Branch pushed',
  setup_pull_request: 'Pull request opened',
};

/** A lifecycle event in words; an unknown one by its own name. */
export function labelOf(eventType: string): string {
  const plain = eventType.replace(/^(?:setup|oz_run)_/, '').replaceAll('_', ' ');
  return EVENTS[eventType] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}
