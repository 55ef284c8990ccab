import { isTerminal } from '../../contract/run.ts';
import type { ListScoresResponse } from '../../contract/score.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { requireRun } from '../runs/find-run.ts';

/** The scores of a run by scorer. While a judge works on a new one, the earlier score stays. */
export async function listScores(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<ListScoresResponse> {
  const run = await requireRun(db, caller, runId);
  const rows = await db
    .selectFrom('judgements as j')
    .leftJoin('runs as judge', 'judge.id', 'j.judge_run_id')
    .where('j.run_id', '=', run.id)
    .selectAll('j')
    .select('judge.state as judge_state')
    .orderBy('j.scorer_id')
    .execute();
  return {
    run_id: run.id,
    scores: rows.map((row) => {
      const isSettled = row.scored_at !== null && row.scored_at >= row.dispatched_at;
      const isOver = row.judge_state === null || isTerminal(row.judge_state);
      return {
        scorer_id: row.scorer_id,
        scorer_name: row.scorer_name,
        attempt_status: isSettled
          ? row.failed
            ? ('failed' as const)
            : ('scored' as const)
          : isOver
            ? ('failed' as const)
            : ('in_flight' as const),
        attempted_at: row.dispatched_at.toISOString(),
        classification: row.classification,
        reason: row.reason,
        scored_at: row.scored_at?.toISOString() ?? null,
        scoring_run_id: row.judge_run_id,
      };
    }),
  };
}
