import { formatDuration } from '../base/time.ts';
import { isTerminal } from '../contract/run.ts';
import { SUMMARY_MAX_BYTES } from '../github/render/cut.ts';
import { inertLine } from '../github/render/inert-line.ts';
import { inert } from '../github/render/inert.ts';
import { durationMs, sessionLink } from '../github/render/report.ts';
import { presentState } from '../github/render/state.ts';
import type { StepOutcome } from './step-outcome.ts';

/** The job summary: a table with the outcome, links, and the agent's last words. */
export async function renderSummary(outcome: StepOutcome, now: Date): Promise<string> {
  const { run } = outcome;
  const title = run
    ? `### ${presentState(run.state).icon} ${inertLine(run.title ?? presentState(run.state).words, 120)}`
    : `### Runlink: ${outcome.conclusion}`;
  const rows = [
    ['Outcome', `${outcome.conclusion} (\`${outcome.reason}\`)`],
    ['Output', outcome.reason === 'output_invalid' ? inertLine(outcome.message, 500) : ''],
    ...runRows(outcome, now),
    ...(outcome.pullRequests ?? []).map((pull) => ['Pull request', pull.url]),
    ['Comment', outcome.commentUrl ?? ''],
    ['Check', outcome.checkUrl ?? ''],
  ].filter(([, value]) => value !== '');
  const table = ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
  const words = outcome.finalMessage ?? (run ? '' : outcome.message);
  // A character may take four bytes once it is escaped and written as UTF-8.
  const shown = words === '' ? '' : await inert(words, SUMMARY_MAX_BYTES / 8);
  return [title, '', ...table, '', shown, ''].join('\n');
}

function runRows({ run }: StepOutcome, now: Date): string[][] {
  if (!run) return [];
  const ms = isTerminal(run.state) ? durationMs(run, now) : undefined;
  const link = sessionLink(run);
  const status = run.status_message?.message ?? '';
  return [
    ['State', `\`${run.state}\``],
    ['Run', link ? `[\`${run.run_id}\`](${link})` : `\`${run.run_id}\``],
    ['Took', ms === undefined ? '' : formatDuration(ms)],
    ['Status', inertLine(status, 500)],
  ];
}
