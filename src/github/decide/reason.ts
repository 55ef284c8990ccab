/**
 * Every reason why an event, a command or a run ended as it did: the stable codes of logs, counters
 * and the Action's output `reason-code` (github.md, "Events"). `skip`: not for us, nobody waits.
 * `refusal`: a person waits and is told. `done`, `failure`: how a request that was taken up ended.
 */
export const REASONS = {
  unsupported_event: { kind: 'skip', text: 'this event starts nothing here' },
  unreadable_payload: { kind: 'skip', text: 'the event’s payload is not what GitHub documents' },
  not_created: { kind: 'skip', text: 'only new comments count, not edits or deletions' },
  not_a_command: { kind: 'skip', text: 'the text holds no command' },
  label_mismatch: { kind: 'skip', text: 'another label was added' },
  assignee_mismatch: { kind: 'skip', text: 'somebody else was assigned' },
  bot: { kind: 'skip', text: 'bots start nothing unless they are listed by name' },
  own_comment: { kind: 'skip', text: 'our own comments never start anything' },
  duplicate_delivery: { kind: 'skip', text: 'this delivery was taken up before' },
  duplicate_request: { kind: 'skip', text: 'this request has its run already' },
  busy: { kind: 'skip', text: 'a run is working on this thread already' },
  no_actor: { kind: 'refusal', text: 'the event does not say who caused it' },
  actor_mismatch: { kind: 'refusal', text: 'the sender is not the author of the text' },
  actor_below_bar: { kind: 'refusal', text: 'the permission on this repository is too low' },
  permission_unknown: { kind: 'refusal', text: 'GitHub did not answer what permission they have' },
  fork: { kind: 'refusal', text: 'runs on pull requests from forks are not allowed here' },
  fork_sha_required: { kind: 'refusal', text: 'the command must name the commit of the fork' },
  fork_sha_mismatch: { kind: 'refusal', text: 'the named commit is no longer the head' },
  head_unknown: { kind: 'refusal', text: 'the head commit of the pull request could not be read' },
  unknown_command: { kind: 'refusal', text: 'there is no such command' },
  unknown_option: { kind: 'refusal', text: 'there is no such option' },
  option_without_value: { kind: 'refusal', text: 'an option lacks its value' },
  no_prompt: { kind: 'refusal', text: 'the command says nothing to do' },
  unreadable_text: { kind: 'refusal', text: 'the text takes too long to read' },
  too_many_commands: { kind: 'refusal', text: 'the text holds too many commands' },
  command_not_allowed: { kind: 'refusal', text: 'this command is reserved for others here' },
  limit_reached: { kind: 'refusal', text: 'the limit of runs is reached' },
  no_run: { kind: 'refusal', text: 'there is no run on this thread' },
  run_ended: { kind: 'refusal', text: 'the run has ended already' },
  not_cancellable: { kind: 'refusal', text: 'the service cannot cancel this kind of run' },
  reported_status: { kind: 'done', text: 'the state was reported' },
  reported_help: { kind: 'done', text: 'the help was shown' },
  cancel_requested: { kind: 'done', text: 'the run was cancelled on command' },
  started: { kind: 'done', text: 'the run was started and is not waited for' },
  dry_run: { kind: 'done', text: 'the request was shown and not sent' },
  succeeded: { kind: 'done', text: 'the run succeeded' },
  failed: { kind: 'failure', text: 'the run failed' },
  errored: { kind: 'failure', text: 'the run broke on the service’s side' },
  blocked: { kind: 'failure', text: 'the run needs somebody’s answer' },
  cancelled: { kind: 'failure', text: 'the run was cancelled' },
  timed_out: { kind: 'failure', text: 'the time limit of the step passed' },
  interrupted: { kind: 'failure', text: 'the workflow was cancelled' },
  run_vanished: { kind: 'failure', text: 'the service no longer knows the run' },
  service_unreachable: { kind: 'failure', text: 'the service did not answer as it should' },
  service_refused: { kind: 'failure', text: 'the service refused the request' },
  github_unreachable: { kind: 'failure', text: 'GitHub did not answer as it should' },
  invalid_input: { kind: 'failure', text: 'an input is missing or wrong' },
  internal_error: { kind: 'failure', text: 'something went wrong on our side' },
} as const satisfies Record<
  string,
  { kind: 'skip' | 'refusal' | 'done' | 'failure'; text: string }
>;

export type Reason = keyof typeof REASONS;
type ReasonOfKind<Kind> = {
  [R in Reason]: (typeof REASONS)[R]['kind'] extends Kind ? R : never;
}[Reason];
export type SkipReason = ReasonOfKind<'skip'>;
export type RefusalReason = ReasonOfKind<'refusal'>;
