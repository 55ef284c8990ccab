import { RunlinkError } from '../../base/error.ts';
import type { RunRead } from '../../contract/run.ts';
import {
  repositoryName,
  type GithubEvent,
  type Head,
  type Thread,
} from '../../github/read/event.ts';
import type { AppContext } from '../context.ts';
import { findStoredRun, storeRun, type StoredRun } from '../store/runs.ts';

/** The thread on which a run that this App did not start was found. */
export interface Finding {
  event: GithubEvent;
  thread: Thread;
  installationId: number;
  /** Login of the person who asked here, if anybody did. */
  actor: string;
  head?: Head | undefined;
}

/**
 * Takes over a run that this App did not start: the Action did, or the App before its database was
 * lost.
 */
export async function adoptRun(
  { db }: Pick<AppContext, 'db'>,
  { event, thread, installationId, actor, head }: Finding,
  run: RunRead,
): Promise<StoredRun> {
  await storeRun(db, {
    runId: run.run_id,
    requestId: run.metadata?.['runlink.request'] ?? `adopted:${run.run_id}`,
    installationId,
    repository: repositoryName(event.repository),
    number: thread.number,
    actor: run.metadata?.['runlink.actor'] ?? actor,
    run,
    headSha: head?.sha ?? null,
  });
  const adopted = await findStoredRun(db, run.run_id);
  if (!adopted) throw new RunlinkError('run_gone', `Run ${run.run_id} was just forgotten.`);
  return adopted;
}
