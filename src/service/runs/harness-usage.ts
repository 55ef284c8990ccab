import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { RequestUsage } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import type { Db } from '../tables.ts';
import { findItem } from './item-row.ts';

type Usage = z.output<typeof endpoints.runs.harnessUsage.answer>;

/** The agents whose usage this endpoint can report. */
const HARNESSES = { claude: 'CLAUDE_CODE', codex: 'CODEX' } as const;
const isKnown = (name: string): name is keyof typeof HARNESSES => name in HARNESSES;

/** GET …/harness-usage. */
export async function harnessUsage(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<Usage> {
  const run = await findItem(db, caller, runId);
  if (!run) throw new ProblemError('resource_not_found');
  const of = { run_id: run.id, conversation_id: run.conversation_id };
  const execution = run.executions.latest.findLast(({ started_at }) => started_at !== null);
  const harness = execution?.harness ?? '';
  const told = await latestUsage(db, run.id);
  const at = run.finished_at ?? told?.at;
  const { usage } = run;
  if (!execution || !isKnown(harness) || !usage || !at)
    return { available: false, ...of, age_seconds: null, usage: null };
  return {
    available: true,
    ...of,
    age_seconds: Math.max(0, Math.round((Date.now() - at.getTime()) / 1000)),
    usage: {
      capturedAt: at.toISOString(),
      captureSequence: told?.position ?? 0,
      executionId: String(execution.number),
      harness: HARNESSES[harness],
      metricsVersion: 1,
      snapshot: { coverage: coverageOf(usage), payload: usage },
    },
  };
}

const coverageOf = ({ total_tokens }: RequestUsage) => ({
  tokenStatus: total_tokens === undefined ? ('unavailable' as const) : ('known' as const),
  toolStatus: 'unavailable' as const,
});

function latestUsage(db: Db, runId: string) {
  return db
    .selectFrom('run_events')
    .where('run_id', '=', runId)
    .where('type', '=', 'usage')
    .select(['position', 'at'])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
}
