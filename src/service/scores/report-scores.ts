import { sql } from 'kysely';
import { z } from 'zod';
import {
  SCORE_REASON_MAX_BYTES,
  verdict as verdictSchema,
  type ReportScoresRequest,
  type ReportScoresResponse,
  type JudgeVerdict,
} from '../../contract/score.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import { describeIssue } from '../http/parse.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { requireRun } from '../runs/find-run.ts';
import type { Trx } from '../tables.ts';

type Result = ReportScoresResponse['results'][number];

/** Cuts a text to 8 KB of UTF-8 without splitting a character (interface.md 4.2). */
export function cutReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= SCORE_REASON_MAX_BYTES) return reason;
  let end = SCORE_REASON_MAX_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

function refusal(verdict: JudgeVerdict, labels: readonly string[] | undefined): string | undefined {
  if (!labels) return 'This run was not asked to judge for this scorer.';
  if (verdict.failed) return undefined;
  if (typeof verdict.classification !== 'string') return 'A classification is missing.';
  return labels.includes(verdict.classification)
    ? undefined
    : `The classification must be one of ${labels.map((label) => JSON.stringify(label)).join(', ')}.`;
}

async function record(trx: Trx, runId: string, verdict: JudgeVerdict): Promise<void> {
  const failed = verdict.failed ?? false;
  await trx
    .updateTable('judgements')
    .set({
      failed,
      classification: failed ? null : (verdict.classification ?? null),
      reason: typeof verdict.reason === 'string' ? cutReason(verdict.reason) : null,
      scored_at: sql`now()`,
    })
    .where('run_id', '=', runId)
    .where('scorer_id', '=', verdict.scorer_id)
    .execute();
}

/** What the caller was started to judge. Only the judge run itself may ask, with its own key. */
async function askedOf(
  trx: Trx,
  runId: string,
  judgeRunId: string,
): Promise<Map<number, string[]>> {
  const rows = await trx
    .selectFrom('judgements')
    .where('run_id', '=', runId)
    .where('judge_run_id', '=', judgeRunId)
    .select(['scorer_id', 'labels'])
    .forUpdate()
    .execute();
  if (rows.length === 0) throw new ProblemError('resource_not_found');
  return new Map(rows.map(({ scorer_id, labels }) => [scorer_id, labels]));
}

/**
 * POST /agent/runs/{runId}/scores: accepts or rejects each verdict by itself; a later one replaces
 * an earlier one. Only the key of the judge run that was started for this run may do this.
 */
export async function reportScores(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
  { results }: ReportScoresRequest,
): Promise<ReportScoresResponse> {
  const run = await requireRun(db, caller, runId);
  const judgeRunId = caller.runId;
  if (judgeRunId === undefined) throw new ProblemError('resource_not_found');
  return db.transaction().execute(async (trx) => {
    const asked = await askedOf(trx, run.id, judgeRunId);
    const answers: Result[] = [];
    for (const given of results) {
      const read = verdictSchema.safeParse(given);
      const error = read.success
        ? refusal(read.data, asked.get(read.data.scorer_id))
        : describeIssue(read.error.issues).detail;
      if (read.success && error === undefined) await record(trx, run.id, read.data);
      answers.push({
        scorer_id: namedScorer.parse(given).scorer_id,
        ...(error === undefined ? { status: 'accepted' } : { status: 'rejected', error }),
      });
    }
    return { results: answers };
  });
}

const namedScorer = z.object({ scorer_id: z.int().catch(0) }).catch({ scorer_id: 0 });
