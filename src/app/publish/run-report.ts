import { isTerminal } from '../../contract/run.ts';
import { artifactPullRequests, claimedPullRequest } from '../../github/read/pull-requests.ts';
import type { Report } from '../../github/render/report.ts';
import type { RunPull } from '../store/pulls.ts';
import type { StoredRun } from '../store/runs.ts';

/** What is known around a run besides the run itself. */
export interface RunSurroundings {
  pulls: readonly RunPull[];
  phrase: string;
  /** The service has not answered since then, long enough to say so. */
  downSince: Date | undefined;
  now: Date;
}

/** What is shown of a run on one thread, for whoever asked there. */
export function runReport(
  stored: StoredRun,
  thread: string | undefined,
  requester: string,
  { pulls, phrase, downSince, now }: RunSurroundings,
): Report {
  const own = pulls.map(({ url, number, repository, title, state }) => {
    return { url, number, repository, title: title ?? undefined, state, isOwn: true };
  });
  const claimed = artifactPullRequests(stored.run)
    .filter((url) => !own.some((pull) => pull.url === url))
    .map(claimedPullRequest);
  return {
    run: stored.run,
    thread,
    requester,
    pullRequests: [...own, ...claimed],
    finalMessage: stored.finalMessage ?? undefined,
    progress: stored.progress ?? undefined,
    unwatched: isGivenUp(stored),
    notes: [
      ...notesOn(stored, downSince),
      ...(stored.reviewFault === null || stored.live ? [] : [stored.reviewFault]),
    ],
    phrase,
    now,
  };
}

/** The run never ended as far as is known, and is no longer watched. */
export function isGivenUp(stored: Pick<StoredRun, 'live' | 'run'>): boolean {
  return !stored.live && !isTerminal(stored.run.state);
}

/** Why what is shown may be old. */
function notesOn(stored: StoredRun, downSince: Date | undefined): string[] {
  const missing = stored.missingSince && minute(stored.missingSince);
  if (missing && !stored.live) {
    return [`The service has not known this run since ${missing}; it is no longer watched.`];
  }
  if (missing) {
    return [
      `The service has not known this run since ${missing}. It is checked again until it is back.`,
    ];
  }
  if (downSince && stored.live) {
    const since = minute(downSince);
    return [
      `The run service has not answered since ${since}. This is the state last seen; it is picked up again as soon as the service answers.`,
    ];
  }
  return [];
}

function minute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
