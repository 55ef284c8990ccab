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
  method_not_allowed: { kind: 'rejected', text: 'this address answers only POST' },
  payload_too_large: { kind: 'rejected', text: 'the body is larger than any that GitHub sends' },
  bad_signature: { kind: 'rejected', text: 'the signature is missing or wrong' },
  headers_missing: { kind: 'rejected', text: 'the headers do not name the delivery and the event' },
  inbox_unavailable: { kind: 'rejected', text: 'the delivery could not be stored; send it again' },
  not_found: { kind: 'rejected', text: 'there is nothing at this address' },
  not_set_up: { kind: 'rejected', text: 'the App has not been created yet' },
  stored: { kind: 'done', text: 'the delivery is stored and will be handled' },
  unsupported_event: { kind: 'skip', text: 'this event starts nothing here' },
  unreadable_payload: { kind: 'skip', text: 'the payload is not as GitHub documents it' },
  not_created: { kind: 'skip', text: 'edited and deleted comments start nothing' },
  not_a_command: { kind: 'skip', text: 'the text has no command' },
  not_the_authors: {
    kind: 'skip',
    text: 'somebody other than its author put the text here',
  },
  label_mismatch: { kind: 'skip', text: 'another label was added' },
  assignee_mismatch: { kind: 'skip', text: 'somebody else was assigned' },
  checks_not_failing: { kind: 'skip', text: 'the checks have not failed' },
  config_untouched: { kind: 'skip', text: 'the push changed no configuration' },
  no_installation: { kind: 'skip', text: 'the event names no installation' },
  bot: { kind: 'skip', text: 'a bot starts nothing unless it is listed by name' },
  own_comment: { kind: 'skip', text: 'Runlink’s own comments start nothing' },
  own_push: { kind: 'skip', text: 'a push by a run does not start another run' },
  queue_branch: { kind: 'skip', text: 'this is a temporary branch of a merge queue' },
  repairs_exhausted: { kind: 'skip', text: 'checks failed after several repairs in a row' },
  secrets_withheld: {
    kind: 'skip',
    text: 'GitHub gives no secrets to workflows of forks and Dependabot',
  },
  own_check: { kind: 'skip', text: 'Runlink’s own checks start nothing' },
  duplicate_delivery: { kind: 'skip', text: 'this delivery was handled before' },
  duplicate_request: { kind: 'skip', text: 'this request already has a run' },
  busy: { kind: 'skip', text: 'a run is already working on this thread' },
  no_actor: { kind: 'refusal', text: 'the event does not say who caused it' },
  actor_mismatch: { kind: 'refusal', text: 'the person who sent the event did not write the text' },
  actor_below_bar: {
    kind: 'refusal',
    text: 'the person’s permission on this repository is too low',
  },
  permission_unknown: {
    kind: 'refusal',
    text: 'GitHub did not say which permission the person has',
  },
  fork: { kind: 'refusal', text: 'runs on pull requests from forks are not allowed here' },
  fork_sha_required: { kind: 'refusal', text: 'the command must name the fork’s head commit' },
  fork_sha_mismatch: {
    kind: 'refusal',
    text: 'the named commit is no longer the head of the pull request',
  },
  head_unknown: { kind: 'refusal', text: 'the head commit of the pull request could not be read' },
  unknown_command: { kind: 'refusal', text: 'there is no such command' },
  unknown_option: { kind: 'refusal', text: 'there is no such option' },
  option_without_value: { kind: 'refusal', text: 'an option has no value' },
  no_prompt: { kind: 'refusal', text: 'the command does not say what to do' },
  quoted_command: { kind: 'refusal', text: 'the command is in quotation marks' },
  unreadable_text: { kind: 'refusal', text: 'the text’s Markdown takes too long to parse' },
  too_many_commands: { kind: 'refusal', text: 'the text has too many commands' },
  command_not_allowed: {
    kind: 'refusal',
    text: 'this repository does not allow the person this command',
  },
  limit_reached: { kind: 'refusal', text: 'the limit on runs is reached' },
  no_finding: { kind: 'refusal', text: 'the last review here has no such finding' },
  no_run: { kind: 'refusal', text: 'there is no run on this thread' },
  run_ended: { kind: 'refusal', text: 'the run has already ended' },
  not_cancellable: { kind: 'refusal', text: 'the service cannot cancel this kind of run' },
  reported_status: { kind: 'done', text: 'the state was reported' },
  reported_help: { kind: 'done', text: 'the help was shown' },
  cancel_requested: { kind: 'done', text: 'the run was cancelled on command' },
  started: { kind: 'done', text: 'the run was started and keeps running' },
  followed_up: { kind: 'done', text: 'the message was sent to the run, which keeps running' },
  dry_run: { kind: 'done', text: 'a dry run: the request was shown, not sent' },
  config_read: { kind: 'done', text: 'the configuration was read and is used from now on' },
  config_broken: { kind: 'done', text: 'the errors in the configuration were reported' },
  issue_moved: {
    kind: 'done',
    text: 'the issue was moved; its runs are now reported at its new address',
  },
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
    text: 'the run’s output.json does not match output-schema',
  },
  failed: { kind: 'failure', text: 'the run failed' },
  errored: { kind: 'failure', text: 'the run ended because of an error in the service' },
  blocked: { kind: 'failure', text: 'the run is waiting for an answer' },
  cancelled: { kind: 'failure', text: 'the run was cancelled' },
  timed_out: { kind: 'failure', text: 'the step reached its time limit' },
  interrupted: { kind: 'failure', text: 'the workflow was cancelled' },
  run_vanished: { kind: 'failure', text: 'the service no longer knows the run' },
  service_unreachable: {
    kind: 'failure',
    text: 'the service could not be reached or gave no valid answer',
  },
  service_refused: { kind: 'failure', text: 'the service refused the request' },
  permission_missing: { kind: 'failure', text: 'Runlink is missing a permission on GitHub' },
  github_unreachable: {
    kind: 'failure',
    text: 'GitHub could not be reached or gave no valid answer',
  },
  unknown_environment: { kind: 'failure', text: 'there is no environment of that name' },
  invalid_input: { kind: 'failure', text: 'an input is missing or wrong' },
  internal_error: { kind: 'failure', text: 'something went wrong inside Runlink' },
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
