import { isTerminal } from '../../contract/run.ts';
import type { Report } from '../../github/render/report.ts';
import type { RunPull, RunThread, StoredRun } from '../store/runs.ts';

/** What is known around a run besides the run itself. */
export interface RunSurroundings {
  pulls: readonly RunPull[];
  phrase: string;
  /** The service has not answered since then, long enough to say so. */
  downSince: Date | undefined;
  now: Date;
}

/** What is shown of a run on one thread. */
export function runReport(
  stored: StoredRun,
  thread: Pick<RunThread, 'repository' | 'number' | 'replyTo' | 'actor'> | undefined,
  { pulls, phrase, downSince, now }: RunSurroundings,
): Report {
  return {
    run: stored.run,
    thread: thread && placeName(thread),
    requester: thread?.actor ?? stored.actor,
    pullRequests: pulls.map((pull) => ({
      url: pull.url,
      number: pull.number,
      repository: pull.repository,
      title: pull.title ?? undefined,
      state: pull.state,
    })),
    finalMessage: stored.finalMessage ?? undefined,
    unwatched: isGivenUp(stored),
    notes: notesOn(stored, downSince),
    phrase,
    now,
  };
}

/** `owner/name#12`, and which of its review threads. */
export function placeName({
  repository,
  number,
  replyTo,
}: Pick<RunThread, 'repository' | 'number' | 'replyTo'>): string {
  const name = `${repository}#${number}`;
  return replyTo === null ? name : `${name}/r${replyTo}`;
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
      `The service has not known this run since ${missing}. It is looked for until it is back.`,
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
