import { invalidField, ProblemError } from '../../contract/problem.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import type { Db } from '../tables.ts';
import { requireRun, type RunRow } from './find-run.ts';

const RUN_HEADER = 'X-Warp-Cloud-Agent-ID';

/**
 * The run that a harness reports on: named by the header, or by a run-scoped key (interface.md
 * 4.6).
 */
export async function requireReportedRun(
  db: Db,
  { caller, request }: { caller: TeamPrincipal; request: Request },
): Promise<RunRow> {
  const named = request.headers.get(RUN_HEADER);
  if (caller.kind === 'run' && named !== null && named.toLowerCase() !== caller.runId)
    throw new ProblemError('resource_not_found');
  const runId = caller.runId ?? named;
  if (runId === null) throw invalidField(RUN_HEADER, `must name the run that is reported for`);
  return requireRun(db, caller, runId);
}
