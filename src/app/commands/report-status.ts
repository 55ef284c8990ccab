import { renderBody } from '../../github/render/report.ts';
import type { AppContext } from '../context.ts';
import { pullsOfRun } from '../store/pulls.ts';
import { findRun } from '../store/runs.ts';
import { runReport } from '../publish/run-report.ts';
import { serviceDownSince } from '../publish/service-down.ts';
import { repositoryName } from '../../github/read/event.ts';
import { adoptRun } from './adopt-run.ts';
import { replyTo, type Ask } from './ask.ts';
import { refreshRun } from './refresh-run.ts';

/** Long enough for the state, its message and the pull requests. */
const STATUS_MAX = 8000;

/** The command `status`: how the run of the thread stands at this moment. */
export async function reportStatus(context: AppContext, ask: Ask, runId: string): Promise<void> {
  await refreshRun(context, runId);
  const stored =
    (await findRun(context.db, runId)) ??
    (await adoptRun(context, ask, await context.client.runs.get(runId)));
  if (!stored) return;
  const thread = {
    repository: repositoryName(ask.event.repository),
    number: ask.thread.number,
    replyTo: ask.event.comment?.replyTo ?? null,
    actor: stored.actor,
  };
  const report = runReport(stored, thread, {
    pulls: await pullsOfRun(context.db, runId),
    phrase: context.settings.phrase,
    downSince: await serviceDownSince(context.db),
    now: new Date(),
  });
  const body = await renderBody({ ...report, finalMessage: undefined }, STATUS_MAX);
  await replyTo(context, ask, ask.requestId, body);
}
