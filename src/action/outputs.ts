/** Every output of the Action, in the order of action.yml. A contract test holds both together. */
export const OUTPUTS = {
  'run-id': 'Id of the run.',
  state: 'State of the run when the step ended.',
  conclusion: 'How the step ended: success, failure, neutral, cancelled, timed_out or skipped.',
  'reason-code': 'Why it ended so: a stable code that the documentation lists.',
  'final-message': 'The agent’s last message.',
  'session-link': 'Page of the run.',
  'status-message': 'What the service says about the state.',
  'error-code': 'The service’s error code, of a run that did not succeed.',
  retryable: 'Whether trying again may help: true, false or empty.',
  'pull-request-url': 'The run’s first pull request.',
  'pull-request-urls': 'All of its pull requests, as a JSON array.',
  artifacts: 'The run’s artifacts, as JSON.',
  'comment-url': 'The comment about the run.',
  'check-run-url': 'The check about the run.',
  'duration-seconds': 'From the run’s creation to its end, in whole seconds.',
  usage: 'Cost and tokens that the service reports, as JSON.',
  skipped: 'true if there was nothing to do.',
  result:
    'Content of the run’s output.json, as JSON, if output-schema asks for one. Each property is also an output of its own, `result.NAME`.',
  outcome: 'All of the above as one JSON object, with `version`.',
} as const satisfies Record<string, string>;

export type OutputName = keyof typeof OUTPUTS;
