import { formatDuration } from '../base/time.ts';
import type { RunRead } from '../contract/run.ts';
import { isTerminal } from '../contract/run.ts';
import { workedMs } from '../contract/run-time.ts';
import { paint, plain } from './terminal.ts';

const STATE_STYLE: Record<string, 'green' | 'red' | 'yellow' | 'cyan'> = {
  SUCCEEDED: 'green',
  FAILED: 'red',
  ERROR: 'red',
  BLOCKED: 'yellow',
  CANCELLED: 'yellow',
};

export function paintState(stream: NodeJS.WriteStream, state: string): string {
  return paint(stream, STATE_STYLE[state] ?? 'cyan', state);
}

/** How long the run worked, or has been working; empty where none of its executions has begun. */
export function runDuration(run: RunRead): string {
  const ms = workedMs(run, new Date());
  return ms === undefined ? '' : formatDuration(ms);
}

/** URLs of the run's pull requests, as it reported them. */
export function pullRequestUrls(run: RunRead): string[] {
  const urls = (run.artifacts ?? [])
    .filter((artifact) => artifact.artifact_type === 'PULL_REQUEST')
    .map((artifact) => artifact.data?.url)
    .filter((url) => url !== undefined);
  return [...new Set(urls)];
}

/** A run as a short block of labelled lines. */
export function describeRun(stream: NodeJS.WriteStream, run: RunRead): string {
  const rows: [string, string | undefined | null][] = [
    ['run', run.run_id],
    ['title', run.title],
    ['state', [paintState(stream, run.state), runDuration(run)].filter(Boolean).join('  ')],
    ['message', run.status_message?.message],
    ['session', run.session_link],
    ...pullRequestUrls(run).map((url): [string, string] => ['pull request', url]),
  ];
  return rows
    .filter(([label, value]) => label === 'state' || value)
    .map(
      ([label, value]) =>
        `${paint(stream, 'dim', label.padEnd(12))}  ${label === 'state' ? value : plain(value ?? '')}`,
    )
    .join('\n');
}

/** 0 for a run that succeeded or still works, 1 for every other end. */
export function exitCodeOf(run: RunRead): number {
  return isTerminal(run.state) && run.state !== 'SUCCEEDED' ? 1 : 0;
}
