import { z } from 'zod';
import { isStorable, UNSTORABLE } from './primitives.ts';

/** A verdict's reason is cut after this many bytes (interface.md 4.2). */
export const SCORE_REASON_MAX_BYTES = 8 * 1024;
const VERDICTS_MAX = 256;

const said = z.string().refine(isStorable, UNSTORABLE).nullish();

export const verdict = z.object({
  scorer_id: z.int(),
  classification: said,
  reason: said,
  /** The judge could not evaluate the run: accepted, but no score is stored. */
  failed: z.boolean().nullish(),
});
export type JudgeVerdict = z.infer<typeof verdict>;

/**
 * Body of POST /agent/runs/{runId}/scores. Only the outer shape is checked here. Each verdict is
 * parsed by itself, so that a bad one does not block the others (interface.md 4.2).
 */
export const reportScoresRequest = z.object({
  results: z
    .array(z.union([verdict, z.unknown().meta({ description: 'Rejected by itself.' })]))
    .min(1)
    .max(VERDICTS_MAX),
});
export type ReportScoresRequest = z.output<typeof reportScoresRequest>;

export const reportScoresResponse = z.object({
  results: z.array(
    z.object({
      /** 0 if the verdict does not say, so that every result keeps the place of its verdict. */
      scorer_id: z.int(),
      status: z.enum(['accepted', 'rejected']),
      error: z.string().optional(),
    }),
  ),
});
export type ReportScoresResponse = z.infer<typeof reportScoresResponse>;

/**
 * Scores of a run, for everybody who may see the run; ours, because the interface only writes them.
 */
export const listScoresResponse = z.object({
  run_id: z.string(),
  scores: z.array(
    z.object({
      scorer_id: z.int(),
      scorer_name: z.string(),
      attempt_status: z.enum(['in_flight', 'scored', 'failed']),
      attempted_at: z.iso.datetime({ offset: true }),
      classification: z.string().nullable(),
      reason: z.string().nullable(),
      scored_at: z.iso.datetime({ offset: true }).nullable(),
      scoring_run_id: z.string().nullable(),
    }),
  ),
});
export type ListScoresResponse = z.infer<typeof listScoresResponse>;
