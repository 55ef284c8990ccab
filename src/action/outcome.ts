import type { ReportedPullRequest } from '../github/read/pull-requests.ts';
import { isTerminal, type RunRead, type TerminalState } from '../contract/run.ts';
import type { Reason } from '../github/decide/reason.ts';
import { REASONS } from '../github/decide/reason.ts';
import { durationMs, sessionLink } from '../github/render/report.ts';
import { ENDINGS } from '../github/render/state.ts';
import { OUTPUTS, type OutputName } from './outputs.ts';

export type StepConclusion =
  'success' | 'failure' | 'neutral' | 'cancelled' | 'timed_out' | 'skipped';

/** How the step ended. */
export interface Outcome {
  reason: Reason;
  conclusion: StepConclusion;
  /** Whether the step goes red. */
  fails: boolean;
  /** One sentence for the log. */
  message: string;
  run?: RunRead | undefined;
  finalMessage?: string | undefined;
  pullRequests?: readonly ReportedPullRequest[];
  commentUrl?: string | undefined;
  checkUrl?: string | undefined;
  /** Left to the post step: the report, and the run's cancellation where that failed. */
  unfinished?: { notes: readonly string[]; cancel: boolean } | undefined;
}

/** An end without a run: what was skipped or refused is green, what broke is red. */
export function endWithout(reason: Reason, detail?: string): Outcome {
  const { kind, text } = REASONS[reason];
  const failed = kind === 'failure' || reason === 'permission_unknown' || reason === 'head_unknown';
  const conclusion = failed ? 'failure' : kind === 'done' ? 'success' : 'skipped';
  return { reason, conclusion, fails: failed, message: detail ?? `${text}.` };
}

/** The end of a run that was waited for. */
export function endOfRun(run: RunRead, failOn: readonly TerminalState[]): Outcome {
  if (!isTerminal(run.state)) return { ...endWithout('started'), conclusion: 'neutral', run };
  const { reason, conclusion, words } = ENDINGS[run.state];
  const status = run.status_message?.message.trim() ?? '';
  const [line = ''] = status.split('\n', 1);
  return {
    reason,
    conclusion,
    fails: failOn.includes(run.state),
    message: `${words}: ${line || REASONS[reason].text}`,
    run,
  };
}

/** The values of all outputs; an empty string where there is nothing to say. */
export function outputsOf(outcome: Outcome, now: Date): Record<OutputName, string> {
  const values = { ...endingOutputs(outcome), ...runOutputs(outcome.run, now) };
  const names = Object.keys(OUTPUTS) as OutputName[];
  const pairs = names.map((name) => [name, values[name] ?? ''] as const);
  const result = { version: 1, ...Object.fromEntries(pairs.map(resultEntry)) };
  return {
    ...(Object.fromEntries(pairs) as Record<OutputName, string>),
    result: JSON.stringify(result),
  };
}

type Values = Partial<Record<OutputName, string>>;

function endingOutputs(outcome: Outcome): Values {
  const urls = (outcome.pullRequests ?? []).map((pull) => pull.url);
  return {
    conclusion: outcome.conclusion,
    'reason-code': outcome.reason,
    'final-message': outcome.finalMessage ?? '',
    'pull-request-url': urls[0] ?? '',
    'pull-request-urls': JSON.stringify(urls),
    'comment-url': outcome.commentUrl ?? '',
    'check-run-url': outcome.checkUrl ?? '',
    skipped: String(outcome.conclusion === 'skipped'),
  };
}

function runOutputs(run: RunRead | undefined, now: Date): Values {
  if (!run) return { artifacts: '[]' };
  const status = run.status_message;
  return {
    'run-id': run.run_id,
    state: run.state,
    'session-link': sessionLink(run) ?? '',
    'status-message': status?.message ?? '',
    'error-code': status?.error_code ?? '',
    retryable: status?.retryable === undefined ? '' : String(status.retryable),
    artifacts: JSON.stringify(run.artifacts ?? []),
    'duration-seconds': seconds(run, now),
    usage: run.request_usage ? JSON.stringify(run.request_usage) : '',
  };
}

function seconds(run: RunRead, now: Date): string {
  const ms = isTerminal(run.state) ? durationMs(run, now) : undefined;
  return ms === undefined ? '' : String(Math.round(ms / 1000));
}

const JSON_OUTPUTS: readonly string[] = ['pull-request-urls', 'artifacts', 'usage'];

/** In `result` values have their types and names their underscores. */
function resultEntry([name, value]: readonly [OutputName, string]): [string, unknown] {
  const key = name.replaceAll('-', '_');
  if (name === 'result') return ['version', 1];
  if (value === '') return [key, null];
  if (JSON_OUTPUTS.includes(name)) return [key, JSON.parse(value)];
  if (name === 'skipped' || name === 'retryable') return [key, value === 'true'];
  return [key, name === 'duration-seconds' ? Number(value) : value];
}
