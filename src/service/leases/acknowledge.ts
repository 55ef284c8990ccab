import type { endpoints } from '../../contract/endpoints.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { leaseLost, requireLease } from './held-run.ts';
import { changing, say } from './say.ts';

/** POST …/acknowledge: the worker has begun; PENDING becomes INPROGRESS. */
export async function acknowledge(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.acknowledge>,
) {
  const state = 'INPROGRESS' as const;
  if (await say(context, call, { ...changing('PENDING', 'acknowledge'), begins: true }))
    return { state };
  const held = await requireLease(context.db, call.caller, call.params.runId, call.request);
  if (held.state !== state) throw leaseLost();
  return { state };
}
