import { isTerminal, type RunRead } from '../contract/run.ts';
import { durationMs, sessionLink } from '../github/render/report.ts';
import { OUTPUTS, type OutputName } from './outputs.ts';
import type { StepOutcome } from './step-outcome.ts';

/** The values of all outputs; an empty string for one that has no value. */
export function outputsOf(outcome: StepOutcome, now: Date): Record<string, string> {
  const values = { ...endingOutputs(outcome), ...runOutputs(outcome.run, now) };
  const names = Object.keys(OUTPUTS) as OutputName[];
  const pairs = names.map((name) => [name, values[name] ?? ''] as const);
  const entries = pairs.flatMap((pair) => (pair[0] === 'outcome' ? [] : [outcomeEntry(pair)]));
  return {
    ...Object.fromEntries(pairs),
    ...partsOf(outcome.output),
    outcome: JSON.stringify({ version: 1, ...Object.fromEntries(entries) }),
  };
}

type Values = Partial<Record<OutputName, string>>;

function endingOutputs(outcome: StepOutcome): Values {
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
    result: outcome.output === undefined ? '' : JSON.stringify(outcome.output),
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

/** Any other name could break the file that outputs are written to. */
const PART_NAME = /^[^=<\p{C}\p{Zl}\p{Zp}]{1,100}$/u;

/** `result.NAME` for each property: text as it is, everything else as JSON. */
function partsOf(output: unknown): Record<string, string> {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return {};
  const parts = Object.entries(output).filter(([name]) => PART_NAME.test(name));
  return Object.fromEntries(
    parts.map(([name, value]) => [
      `result.${name}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

const JSON_OUTPUTS: readonly string[] = ['pull-request-urls', 'artifacts', 'usage', 'result'];

/** In the JSON output `outcome` values keep their types, and names have underscores. */
function outcomeEntry([name, value]: readonly [OutputName, string]): [string, unknown] {
  const key = name.replaceAll('-', '_');
  if (value === '') return [key, null];
  if (JSON_OUTPUTS.includes(name)) return [key, JSON.parse(value)];
  if (name === 'skipped' || name === 'retryable') return [key, value === 'true'];
  return [key, name === 'duration-seconds' ? Number(value) : value];
}
