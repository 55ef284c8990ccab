import type { RunRead } from '../../contract/run.ts';
import { repositoryName } from '../../github/read/event.ts';
import type { AppContext } from '../context.ts';
import { findRun, insertRun, type StoredRun } from '../store/runs.ts';
import type { Ask } from './ask.ts';

/** Takes up a run that was not started by this App (the Action's, or from before a lost database). */
export async function adoptRun(
  context: AppContext,
  ask: Pick<Ask, 'event' | 'thread' | 'actor' | 'installationId' | 'head'>,
  run: RunRead,
): Promise<StoredRun | undefined> {
  await insertRun(context.db, {
    runId: run.run_id,
    requestId: run.metadata?.['runlink.request'] ?? `adopted:${run.run_id}`,
    installationId: ask.installationId,
    repository: repositoryName(ask.event.repository),
    number: ask.thread.number,
    actor: run.metadata?.['runlink.actor'] ?? ask.actor,
    run,
    headSha: ask.head?.sha ?? null,
  });
  return findRun(context.db, run.run_id);
}
