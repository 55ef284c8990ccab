import type { ReportedPullRequest } from '../github/read/pull-requests.ts';
import { isTerminal, type RunRead, type TerminalState } from '../contract/run.ts';
import { REASONS, type Reason } from '../github/decide/reason.ts';
import { ENDINGS } from '../github/render/state.ts';

export type StepConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'timed_out'
  | 'skipped';

/** How the step ended. */
export interface StepOutcome {
  reason: Reason;
  conclusion: StepConclusion;
  /** Whether the step fails. */
  fails: boolean;
  /** One sentence for the log. */
  message: string;
  run?: RunRead | undefined;
  finalMessage?: string | undefined;
  pullRequests?: readonly ReportedPullRequest[];
  /** Content of the run's `output.json`, if one was asked for. */
  output?: unknown;
  commentUrl?: string | undefined;
  checkUrl?: string | undefined;
  /** What the post step still has to do: report, and cancel the run if that failed. */
  unfinished?: { notes: readonly string[]; cancel: boolean } | undefined;
}

/** An outcome without a run. Skipped and refused are green, anything broken is red. */
export function endWithout(reason: Reason, detail?: string): StepOutcome {
  const { kind, text } = REASONS[reason];
  const failed = kind === 'failure' || reason === 'permission_unknown' || reason === 'head_unknown';
  const conclusion = failed ? 'failure' : kind === 'done' ? 'success' : 'skipped';
  return { reason, conclusion, fails: failed, message: detail ?? `${text}.` };
}

/** The outcome of a run that was watched to its end. */
export function endOfRun(run: RunRead, failOn: readonly TerminalState[]): StepOutcome {
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
