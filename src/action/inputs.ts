/** One input of action.yml. A contract test keeps this table and action.yml the same. */
export interface InputDefinition {
  description: string;
  default?: string;
  /** Group it is listed under in the documentation. */
  group: (typeof INPUT_GROUPS)[number];
}

export const INPUT_GROUPS = [
  'Service',
  'What to do',
  'When to start',
  'Who may',
  'The run',
  'Waiting',
  'Reporting',
] as const;

/** Every input of the Action, in the order of action.yml. No other name is read anywhere. */
export const INPUTS = {
  'base-url': {
    group: 'Service',
    description:
      'Address of the run service’s API with its version, such as https://runs.example.org/api/v1. Default: the environment variable RUNLINK_BASE_URL.',
  },
  'api-key': {
    group: 'Service',
    description:
      'API key of the run service, from a secret. Default: the environment variable RUNLINK_API_KEY. Not needed where the job has `id-token: write` and the service trusts the workflow.',
  },
  'github-token': {
    group: 'Service',
    description:
      'Token for asking permissions, reading context and reporting. Empty: nothing is posted, outputs are still set.',
    default: '${{ github.token }}',
  },
  prompt: {
    group: 'What to do',
    description:
      'The prompt. With it, any event starts a run. The single word review asks for a review of the pull request.',
  },
  'prompt-file': {
    group: 'What to do',
    description: 'File in the workspace that holds the prompt, if it is long.',
  },
  'prompt-template': {
    group: 'What to do',
    description:
      'Your own template for the prompt, with {{instruction}}, {{context}}, {{repository}}, {{title}}, {{url}}, {{number}}, {{branch}}, {{base}}, {{sha}} and {{actor}}.',
  },
  'output-schema': {
    group: 'What to do',
    description:
      'JSON Schema of the run’s answer, as JSON or as a file in the workspace. The agent is told to write output.json, which is checked and becomes the outputs result and result.NAME.',
  },
  skill: {
    group: 'What to do',
    description: 'Skill to run, such as owner/repo:path/SKILL.md. With it any event starts a run.',
  },
  'run-id': {
    group: 'What to do',
    description:
      'Attach to this run instead of starting one; a prompt is then sent to it as a follow-up.',
  },
  'trigger-phrase': {
    group: 'When to start',
    description: 'The word that makes a line a command when it comes first.',
    default: '/agent',
  },
  'label-trigger': {
    group: 'When to start',
    description: 'Start when this label is added to an issue or pull request.',
  },
  'assignee-trigger': {
    group: 'When to start',
    description: 'Start when this login is assigned.',
  },
  'when-busy': {
    group: 'When to start',
    description:
      'What a command does while a run works on the same thread: follow-up, new or skip.',
    default: 'follow-up',
  },
  'on-edit': {
    group: 'When to start',
    description:
      'What an edit may start, in a workflow that runs on edits: ignore (nothing), or new-commands (the commands that its author added).',
    default: 'ignore',
  },
  'on-pull-request': {
    group: 'When to start',
    description:
      'Where commits for a pull request go: push (to its own branch) or stack (into a new pull request onto that branch).',
    default: 'push',
  },
  'closes-issue': {
    group: 'When to start',
    description:
      'Close the issue in which a run was asked for when the run’s pull request is merged.',
    default: 'false',
  },
  'request-key': {
    group: 'When to start',
    description: 'Tells apart steps that would otherwise make the same request, as in a matrix.',
    default: '${{ strategy.job-index }}',
  },
  'check-run-id': {
    group: 'When to start',
    description:
      'The job’s own check run, whose name tells this job from the others of the workflow run. Needs runner 2.324.0 and actions: read.',
    default: '${{ job.check_run_id }}',
  },
  permission: {
    group: 'Who may',
    description:
      'The repository permission that whoever caused the event needs: read, triage, write, maintain or admin. With none, nobody is checked.',
    default: 'write',
  },
  'allowed-users': {
    group: 'Who may',
    description: 'Logins that need no such permission, by exact name.',
  },
  'allowed-bots': {
    group: 'Who may',
    description: 'Bots that may start runs, by exact name such as dependabot[bot].',
  },
  'allow-forks': {
    group: 'Who may',
    description:
      'Allow work on pull requests from forks, when the command names the head commit with --sha.',
    default: 'false',
  },
  'environment-id': {
    group: 'The run',
    description: 'Environment by id or name. Default: the only one that lists this repository.',
  },
  model: { group: 'The run', description: 'Model id.' },
  agent: { group: 'The run', description: 'Agent identity (uid) that executes the run.' },
  name: { group: 'The run', description: 'Label of the run’s configuration, to filter by.' },
  title: { group: 'The run', description: 'Title of the run. Default: first line of the prompt.' },
  metadata: {
    group: 'The run',
    description:
      'Your own key/value pairs, as YAML or JSON. Keys that begin with runlink. are reserved.',
  },
  config: {
    group: 'The run',
    description:
      'Further run configuration, as YAML or JSON, such as `harness: {type: demo}`. The inputs above override it.',
  },
  wait: {
    group: 'Waiting',
    description: 'Wait for the run to end.',
    default: 'true',
  },
  timeout: {
    group: 'Waiting',
    description: 'How long to wait, such as 90s, 45m or 5h.',
    default: '5h',
  },
  'on-timeout': {
    group: 'Waiting',
    description: 'When that time is over: detach (the run goes on) or cancel.',
    default: 'detach',
  },
  'on-cancel': {
    group: 'Waiting',
    description:
      'When the workflow is cancelled: cancel the run or detach. Default: cancel, but detach from a run attached by run-id.',
  },
  'fail-on': {
    group: 'Waiting',
    description: 'States of the run that fail the step; none: no state does.',
    default: 'FAILED, ERROR, BLOCKED, CANCELLED',
  },
  comment: {
    group: 'Reporting',
    description: 'Keep one comment about the run on the issue or pull request.',
    default: 'true',
  },
  check: {
    group: 'Reporting',
    description: 'Keep one check about the run on the pull request’s head.',
    default: 'true',
  },
  'check-name': { group: 'Reporting', description: 'Name of that check.', default: 'Runlink' },
  reviews: {
    group: 'Reporting',
    description:
      'The strongest verdict with which a run’s review.json is posted as a review of the pull request: none, comment, request-changes or approve.',
    default: 'comment',
  },
  reactions: {
    group: 'Reporting',
    description: 'React to the comment that asked: seen, done, failed.',
    default: 'true',
  },
  mention: {
    group: 'Reporting',
    description:
      'Notify whoever asked, by a reply, when a run took over two minutes or is blocked.',
    default: 'true',
  },
  summary: { group: 'Reporting', description: 'Write the job summary.', default: 'true' },
  'dry-run': {
    group: 'Reporting',
    description: 'Show the exact request and send nothing.',
    default: 'false',
  },
} as const satisfies Record<string, InputDefinition>;

export type InputName = keyof typeof INPUTS;
export type RawInputs = Readonly<Record<InputName, string>>;
