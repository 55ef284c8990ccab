import type { endpoints } from '../../contract/endpoints.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { conditionalAnswer } from '../http/conditional.ts';
import { ProblemError } from '../../contract/problem.ts';
import { findItem } from './item-row.ts';
import { listArtifacts } from '../artifacts/list-artifacts.ts';
import { whyWaiting } from '../workers/why-waiting.ts';
import { toRunItem } from './run-item.ts';

/** GET /agent/runs/{runId}. */
export async function getRun(
  context: ServiceContext,
  call: Call<typeof endpoints.runs.get>,
): Promise<Response> {
  const { params, caller } = call;
  return conditionalAnswer(context, call, [`run:${params.runId.toLowerCase()}`], async () => {
    const run = await findItem(context.db, caller, params.runId);
    if (!run) throw new ProblemError('resource_not_found');
    const artifacts = await listArtifacts(context.db, [run.id]);
    const waiting = await whyWaiting(context, run);
    return {
      ...toRunItem(run, artifacts.get(run.id) ?? [], context),
      ...(waiting ? { waiting } : {}),
    };
  });
}
