/**
 * Every reason why an event, a command, a run or a webhook request ended as it did. These codes are
 * stable; logs, counters, answers and the Action's output `reason-code` use them (github.md,
 * "Events").
 *
 * - `rejected`: the webhook request was not accepted.
 * - `skip`: nothing to do, and nobody waits for an answer.
 * - `refusal`: a person waits and gets an answer.
 * - `done`, `failure`: how the work ended.
 */
export const REASONS = {
  method_not_allowed: { kind: 'rejected', text: 'only POST is answered here' },
  payload_too_large: { kind: 'rejected', text: 'the body is larger than GitHub sends' },
  bad_signature: { kind: 'rejected', text: 'the signature is missing or wrong' },
  headers_missing: { kind: 'rejected', text: 'the headers do not name delivery and event' },
  inbox_unavailable: { kind: 'rejected', text: 'the delivery could not be stored; send it again' },
  not_found: { kind: 'rejected', text: 'there is nothing at this address' },
  not_set_up: { kind: 'rejected', text: 'the App has not been created yet' },
  stored: { kind: 'done', text: 'the delivery is stored and will be handled' },
  unsupported_event: { kind: 'skip', text: 'this event starts nothing here' },
  unreadable_payload: { kind: 'skip', text: 'the event’s payload is not what GitHub documents' },
  not_created: { kind: 'skip', text: 'only new comments count, not edits or deletions' },
  not_a_command: { kind: 'skip', text: 'the text holds no command' },
  not_the_authors: {
    kind: 'skip',
    text: 'the text was put here by somebody other than its author',
  },
  label_mismatch: { kind: 'skip', text: 'another label was added' },
  assignee_mismatch: { kind: 'skip', text: 'somebody else was assigned' },
  checks_not_failing: { kind: 'skip', text: 'the checks have not failed' },
  config_untouched: { kind: 'skip', text: 'the push changed no configuration' },
  no_installation: { kind: 'skip', text: 'the event names no installation' },
  bot: { kind: 'skip', text: 'bots start nothing unless they are listed by name' },
  own_comment: { kind: 'skip', text: 'our own comments never start anything' },
  own_push: { kind: 'skip', text: 'what a run pushed starts no other run by itself' },
  queue_branch: { kind: 'skip', text: 'the branch is a merge queue’s, and goes with it' },
  repairs_exhausted: { kind: 'skip', text: 'checks failed after several repairs in a row' },
  secrets_withheld: {
    kind: 'skip',
    text: 'GitHub gives workflows of forks and Dependabot no secrets',
  },
  own_check: { kind: 'skip', text: 'our own checks never start anything' },
  duplicate_delivery: { kind: 'skip', text: 'this delivery was handled before' },
  duplicate_request: { kind: 'skip', text: 'this request has a run already' },
  busy: { kind: 'skip', text: 'a run is working on this thread already' },
  no_actor: { kind: 'refusal', text: 'the event does not say who caused it' },
  actor_mismatch: { kind: 'refusal', text: 'the sender is not the author of the text' },
  actor_below_bar: { kind: 'refusal', text: 'their permission on this repository is too low' },
  permission_unknown: { kind: 'refusal', text: 'GitHub did not say which permission they have' },
  fork: { kind: 'refusal', text: 'runs on pull requests from forks are not allowed here' },
  fork_sha_required: { kind: 'refusal', text: 'the command must name the commit of the fork' },
  fork_sha_mismatch: { kind: 'refusal', text: 'the named commit is no longer the head' },
  head_unknown: { kind: 'refusal', text: 'the head commit of the pull request could not be read' },
  unknown_command: { kind: 'refusal', text: 'there is no such command' },
  unknown_option: { kind: 'refusal', text: 'there is no such option' },
  option_without_value: { kind: 'refusal', text: 'an option lacks its value' },
  no_prompt: { kind: 'refusal', text: 'the command does not say what to do' },
  quoted_command: { kind: 'refusal', text: 'the command stands in quotation marks' },
  unreadable_text: { kind: 'refusal', text: 'the Markdown of the text takes too long to read' },
  too_many_commands: { kind: 'refusal', text: 'the text holds too many commands' },
  command_not_allowed: { kind: 'refusal', text: 'this command is reserved for others here' },
  limit_reached: { kind: 'refusal', text: 'the limit of runs is reached' },
  no_finding: { kind: 'refusal', text: 'the last review here has no such finding' },
  no_run: { kind: 'refusal', text: 'there is no run on this thread' },
  run_ended: { kind: 'refusal', text: 'the run has ended already' },
  not_cancellable: { kind: 'refusal', text: 'the service cannot cancel this kind of run' },
  reported_status: { kind: 'done', text: 'the state was reported' },
  reported_help: { kind: 'done', text: 'the help was shown' },
  cancel_requested: { kind: 'done', text: 'the run was cancelled on command' },
  started: { kind: 'done', text: 'the run was started and goes on by itself' },
  followed_up: { kind: 'done', text: 'the message was sent to the run, which goes on by itself' },
  dry_run: { kind: 'done', text: 'the request was shown and not sent' },
  config_read: { kind: 'done', text: 'the configuration is in force' },
  config_broken: { kind: 'done', text: 'the faults of the configuration were reported' },
  issue_moved: { kind: 'done', text: 'what is shown of the runs went with the issue' },
  pull_opened: { kind: 'done', text: 'the pull request of a run was linked' },
  pull_reopened: { kind: 'done', text: 'the pull request of a run was reopened' },
  pull_ready_for_review: { kind: 'done', text: 'the pull request of a run is ready for review' },
  pull_synchronize: { kind: 'done', text: 'the pull request of a run has a new head' },
  pull_labeled: { kind: 'done', text: 'the pull request of a run was labelled' },
  pull_assigned: { kind: 'done', text: 'the pull request of a run was assigned' },
  pull_closed: { kind: 'done', text: 'the pull request of a run was closed' },
  installation_deleted: { kind: 'done', text: 'the App was uninstalled' },
  installation_suspend: { kind: 'done', text: 'the App was suspended' },
  installation_unsuspend: { kind: 'done', text: 'the App is no longer suspended' },
  installation_new_permissions_accepted: {
    kind: 'done',
    text: 'new permissions of the App were accepted',
  },
  succeeded: { kind: 'done', text: 'the run succeeded' },
  output_invalid: {
    kind: 'failure',
    text: 'the output.json of the run does not fit output-schema',
  },
  failed: { kind: 'failure', text: 'the run failed' },
  errored: { kind: 'failure', text: 'the run ended with an error of the service' },
  blocked: { kind: 'failure', text: 'the run needs an answer from somebody' },
  cancelled: { kind: 'failure', text: 'the run was cancelled' },
  timed_out: { kind: 'failure', text: 'the time limit of the step passed' },
  interrupted: { kind: 'failure', text: 'the workflow was cancelled' },
  run_vanished: { kind: 'failure', text: 'the service no longer knows the run' },
  service_unreachable: { kind: 'failure', text: 'the service did not answer as it should' },
  service_refused: { kind: 'failure', text: 'the service refused the request' },
  permission_missing: { kind: 'failure', text: 'Runlink lacks a permission on GitHub' },
  github_unreachable: { kind: 'failure', text: 'GitHub did not answer as it should' },
  unknown_environment: { kind: 'failure', text: 'there is no environment of that name' },
  invalid_input: { kind: 'failure', text: 'an input is missing or wrong' },
  internal_error: { kind: 'failure', text: 'something went wrong on our side' },
} as const satisfies Record<
  string,
  { kind: 'rejected' | 'skip' | 'refusal' | 'done' | 'failure'; text: string }
>;

export type Reason = keyof typeof REASONS;
type ReasonOfKind<Kind> = {
  [R in Reason]: (typeof REASONS)[R]['kind'] extends Kind ? R : never;
}[Reason];
export type SkipReason = ReasonOfKind<'skip'>;
export type RefusalReason = ReasonOfKind<'refusal'>;
