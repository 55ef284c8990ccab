const OUTCOMES: Record<string, string> = {
  queued_prompt: 'The run has not started; the message joins its prompt.',
  live_session: 'The agent has the message.',
  queue_pending: 'The agent is at work; it gets the message next.',
  handoff_execution: 'The run had ended; it starts again with the message.',
};

/** The outcome of a follow-up in words. */
export function outcomeText(outcome: string | undefined): string {
  return OUTCOMES[outcome ?? ''] ?? 'Accepted.';
}
