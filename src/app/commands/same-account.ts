import type { RunRead } from '../../contract/run.ts';
import { type Repository, sameName } from '../../github/read/event.ts';
import type { AppContext } from '../context.ts';
import { findRun } from '../store/runs.ts';

/** Whether two repositories, by `owner/name`, are of the same user or organisation. */
export function areOfOneAccount(one: string, other: string): boolean {
  return sameName(one.split('/')[0], other.split('/')[0]);
}

/**
 * Whether a run may be shown and steered in a repository: what a run says of itself, such as the pull
 * request it opened, must not lead into it from the repositories of another account.
 */
export async function isOfAccount(
  context: Pick<AppContext, 'db'>,
  run: Pick<RunRead, 'run_id' | 'metadata'>,
  { owner }: Pick<Repository, 'owner'>,
): Promise<boolean> {
  const stored = await findRun(context.db, run.run_id);
  const repository = stored?.repository ?? run.metadata?.['runlink.repository'];
  return repository === undefined || areOfOneAccount(repository, owner);
}
