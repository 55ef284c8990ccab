import type { RunRead } from '../contract/run.ts';
import { threadName, type GithubEvent } from '../github/read/event.ts';
import { canonicalPullRequestUrl } from '../github/read/pull-requests.ts';
import type { ThreadRun } from '../github/decide/plan.ts';

/** What of the run service is needed to find the run of a thread. */
export interface RunLookup {
  /** Id of the run that reported this URL; undefined when there is none. */
  runOfUrl(url: string): Promise<string | undefined>;
  /** The newest run with these metadata pairs. */
  newestRun(metadata: Record<string, string>): Promise<RunRead | undefined>;
  /** Undefined when the service does not know the run. */
  getRun(runId: string): Promise<RunRead | undefined>;
}

/**
 * The run that work on this thread goes on with: on a pull request the one that reported it, else the
 * newest that was started on the thread (github.md, "Commands").
 */
export async function findThreadRun(
  lookup: RunLookup,
  event: GithubEvent,
): Promise<ThreadRun | undefined> {
  const { thread, repository } = event;
  if (!thread) return undefined;
  if (thread.kind === 'pull_request') {
    const runId = await lookup.runOfUrl(canonicalPullRequestUrl(thread.url));
    const run = runId === undefined ? undefined : await lookup.getRun(runId);
    if (run) return toThreadRun(run);
  }
  const newest = await lookup.newestRun({ 'runlink.thread': threadName(repository, thread) });
  return newest && toThreadRun(newest);
}

function toThreadRun(run: RunRead): ThreadRun {
  return { runId: run.run_id, state: run.state, request: run.metadata?.['runlink.request'] };
}
