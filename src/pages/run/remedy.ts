import type { RunItem } from '../../contract/run.ts';

/** What a reader can do about each way a run ends badly (interface.md 7.2). */
const BY_CODE: Record<string, string> = {
  invalid_request: 'Change the request as the message says, then send it again below.',
  external_authentication_required: 'Sign the agent in to its provider, then send a follow-up.',
  not_authorized: 'Ask an owner of the repository or of the team for the missing permission.',
  insufficient_credits: 'Add credits at the model provider, then send a follow-up to go on.',
  budget_exceeded: 'Raise the spending limit, then send a follow-up to go on.',
  environment_setup_failed:
    'Look at the set-up steps below, correct the environment, then send a follow-up.',
  resource_unavailable: 'Nothing could take the run in time. Start a worker, then try again.',
  infrastructure_timeout: 'Split the task, or raise the time limit, then send a follow-up.',
  agent_process_failed: 'The end of the activity shows how the agent stopped. A follow-up retries.',
  agent_stream_network_error: 'Usually passes by itself. A follow-up continues where it stopped.',
  agent_stream_failure: 'Usually passes by itself. A follow-up continues where it stopped.',
  internal_error: 'A follow-up tries again. If it stays, ask whoever runs this service.',
  service_unavailable: 'A follow-up tries again once the service is back.',
};

/** The next step to take, or nothing when none is needed. */
export function remedyFor(run: RunItem): string | undefined {
  if (run.state === 'BLOCKED') return 'Answer below, and the agent goes on from there.';
  if (run.state !== 'FAILED' && run.state !== 'ERROR') return undefined;
  const known = BY_CODE[run.status_message?.error_code ?? ''];
  if (known) return known;
  return run.status_message?.retryable === true
    ? 'A follow-up tries again.'
    : 'The end of the activity shows what happened. A follow-up continues the run.';
}
