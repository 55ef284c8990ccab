import type { RequestUsage, RunExecution } from '../../contract/run.ts';
import type { ItemRow, ToldExecution } from './item-row.ts';

/** A run's latest executions in the API's form, oldest first. */
export function toExecutions(run: ItemRow): RunExecution[] {
  const { latest } = run.executions;
  const all = latest.at(-1)?.number === run.reopened + 1 ? latest : [...latest, firstOf(run)];
  return all.map((each, index) => present(each, usageOf(each, run), all[index - 1]?.usage ?? null));
}

/** A first execution that still waits has no row (migration 0008). */
function firstOf(run: ItemRow): ToldExecution {
  return {
    number: run.reopened + 1,
    queued_at: run.queued_at.toISOString(),
    started_at: null,
    ended_at: null,
    worker_id: null,
    harness: null,
    outcome: null,
    status_message: null,
    usage: null,
  };
}

/** For the current execution, the run's own usage is up to date. */
function usageOf({ number, usage }: ToldExecution, run: ItemRow): RequestUsage | null {
  return number === run.reopened + 1 ? run.usage : usage;
}

function present(
  execution: ToldExecution,
  used: RequestUsage | null,
  before: RequestUsage | null,
): RunExecution {
  const { number, worker_id, harness, outcome, status_message } = execution;
  const at = (time: string | null) => (time === null ? null : new Date(time).toISOString());
  return {
    execution_id: number,
    queued_at: new Date(execution.queued_at).toISOString(),
    started_at: at(execution.started_at),
    ended_at: at(execution.ended_at),
    outcome,
    ...(worker_id === null ? {} : { worker_id }),
    ...(harness === null ? {} : { harness }),
    ...(status_message === null ? {} : { status_message }),
    ...(used === null || execution.started_at === null ? {} : { usage: ownUsage(used, before) }),
  };
}

/** What one execution used: the difference from the totals before it. */
function ownUsage(used: RequestUsage, before: RequestUsage | null): RequestUsage {
  if (!before) return used;
  const { model_token_usage: models, ...totals } = used;
  const own = Object.entries(totals).map(([name, value]) => {
    const earlier = before[name as keyof typeof totals] ?? 0;
    return [name, value === undefined || value < earlier ? value : value - earlier];
  });
  const known = new Map(before.model_token_usage?.map((it) => [it.model_id, it.total_tokens]));
  const ownModels = models?.map(({ model_id, total_tokens }) => ({
    model_id,
    total_tokens: Math.max(0, total_tokens - (known.get(model_id) ?? 0)),
  }));
  return { ...Object.fromEntries(own), ...(ownModels ? { model_token_usage: ownModels } : {}) };
}
