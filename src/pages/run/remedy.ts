import type { RunItem } from '../../contract/run.ts';

/** What a reader can do, by the run's error code (interface.md 7.2). */
const BY_CODE: Record<string, string> = {
  invalid_request: 'Change the request as the message says, then send it again below.',
  external_authentication_required: 'Sign the agent in at its provider, then send a follow-up.',
  not_authorized: 'Ask an owner of the repository or of the team for the missing permission.',
  insufficient_credits: 'Add credits at the model provider, then send a follow-up.',
  budget_exceeded: 'Raise the spending limit, then send a follow-up.',
  environment_setup_failed:
    'See the set-up steps below, fix the environment, then send a follow-up.',
  resource_unavailable: 'No worker took the run in time. Start a worker, then send a follow-up.',
  infrastructure_timeout: 'Split the task, or raise the time limit, then send a follow-up.',
  agent_process_failed:
    'The end of the activity shows how the agent stopped. Send a follow-up to try again.',
  agent_stream_network_error: 'This usually passes. Send a follow-up to continue.',
  agent_stream_failure: 'This usually passes. Send a follow-up to continue.',
  internal_error:
    'Send a follow-up to try again. If it fails again, ask the people who run this service.',
  service_unavailable: 'Send a follow-up once the service is back.',
};

/** What to do next; undefined if nothing is needed. */
export function remedyFor(run: RunItem): string | undefined {
  if (run.state === 'BLOCKED') return 'Answer below, and the agent continues.';
  if (run.state !== 'FAILED' && run.state !== 'ERROR') return undefined;
  const known = BY_CODE[run.status_message?.error_code ?? ''];
  if (known) return known;
  return run.status_message?.retryable === true
    ? 'Send a follow-up to try again.'
    : 'The end of the activity shows what happened. Send a follow-up to continue.';
}
