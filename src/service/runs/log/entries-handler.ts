import type { endpoints } from '../../../contract/endpoints.ts';
import { ProblemError } from '../../../contract/problem.ts';
import type { ServiceContext } from '../../context.ts';
import type { Handler } from '../../http/call.ts';
import { waitedAnswer } from '../../http/conditional.ts';
import { enterWait } from '../../waiting/wait-slots.ts';
import { requireRun } from '../find-run.ts';
import { listEntries } from './list-entries.ts';

const NOT_AFTER = 'after: what changed is not searched; use `from` or `before`';

/**
 * GET /agent/runs/{runId}/entries; with `after` and `Prefer: wait` held until the log has grown.
 */
export function createEntriesHandler({
  db,
  changes,
}: ServiceContext): Handler<typeof endpoints.runs.entries> {
  return async ({ params, query, caller, request, waitSeconds }) => {
    const isSearch = query.q !== undefined || query.failed;
    if (isSearch && query.after !== undefined)
      throw new ProblemError('invalid_request', { detail: NOT_AFTER });
    const { id } = await requireRun(db, caller, params.runId);
    const now = await listEntries(db, id, query);
    const mayWait = waitSeconds !== undefined && query.after !== undefined;
    if (!mayWait || now.entries.length > 0) return waitedAnswer(now, waitSeconds);
    const leave = enterWait(caller.keyId);
    if (!leave) return now;
    try {
      const options = { seconds: waitSeconds, signal: request.signal };
      const grown = await changes.waitFor([`log:${id}`], options, async () => {
        const next = await listEntries(db, id, query);
        return next.entries.length > 0 ? next : undefined;
      });
      return waitedAnswer(grown ?? now, waitSeconds);
    } finally {
      leave();
    }
  };
}
