import type { ArtifactItem } from '../../contract/artifact.ts';
import { isTerminal, type RunItem } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { Db } from '../tables.ts';
import { toExecutions } from './executions.ts';
import type { RunRow } from './find-run.ts';
import type { ItemRow } from './item-row.ts';
import { listArtifacts } from '../artifacts/list-artifacts.ts';

/** An ISO 8601 duration in whole seconds, such as PT2M30S. */
export function isoDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [
    [Math.floor(seconds / 3600), 'H'],
    [Math.floor((seconds % 3600) / 60), 'M'],
    [seconds % 60, 'S'],
  ] as const;
  const text = parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : '')).join('');
  return `PT${text || '0S'}`;
}

/**
 * Whether this kind of run can be cancelled; self-hosted runs and those that their caller executes
 * cannot (interface.md 7).
 */
export function isCancellableType(
  run: Pick<RunRow, 'worker_host' | 'execution_location'>,
): boolean {
  return run.worker_host === null && run.execution_location === 'REMOTE';
}

function timesOf(run: ItemRow) {
  const { started_at, worked_ms } = run.executions;
  return {
    created_at: run.created_at.toISOString(),
    updated_at: run.updated_at.toISOString(),
    started_at: started_at === null ? null : new Date(started_at).toISOString(),
    finished_at: run.finished_at?.toISOString() ?? null,
    ...(worked_ms === null ? {} : { run_time: isoDuration(worked_ms) }),
    executions: toExecutions(run),
  };
}

function linesOf({ lines_added: additions, lines_removed: deletions }: ItemRow) {
  return additions === null || deletions === null
    ? {}
    : { changed_lines: { additions, deletions } };
}

function skillOf(run: ItemRow): Pick<RunItem, 'agent_skill'> {
  if (!run.skill && run.skill_spec === null) return {};
  const { skill } = run;
  return {
    agent_skill: {
      ...(skill ? { name: skill.name } : {}),
      ...(skill?.description === undefined ? {} : { description: skill.description }),
      full_path: skill?.path ?? run.skill_spec ?? '',
    },
  };
}

/** A run in the API's form. */
export function toRunItem(
  run: ItemRow,
  artifacts: ArtifactItem[],
  { publicUrl }: Pick<ServiceContext, 'publicUrl'>,
): RunItem {
  const hasSession = run.attempt > 0 || isTerminal(run.state);
  return {
    run_id: run.id,
    task_id: run.id,
    root_run_id: run.root_run_id,
    ...(run.parent_run_id === null ? {} : { parent_run_id: run.parent_run_id }),
    title: run.title,
    prompt: run.prompt,
    state: run.state,
    ...(run.status_message ? { status_message: run.status_message } : {}),
    ...timesOf(run),
    source: run.source,
    execution_location: run.execution_location,
    ...(run.schedule ? { schedule: run.schedule } : {}),
    ...(hasSession ? { session_id: run.id, session_link: `${publicUrl()}/runs/${run.id}` } : {}),
    ...(run.trigger_url === null ? {} : { trigger_url: run.trigger_url }),
    creator: run.creator,
    executor: run.executor,
    ...(run.usage ? { request_usage: run.usage } : {}),
    ...linesOf(run),
    mode: run.mode,
    agent_config: run.config,
    ...skillOf(run),
    conversation_id: run.conversation_id,
    metadata: run.metadata,
    is_sandbox_running: run.state === 'INPROGRESS',
    is_run_type_cancellable: isCancellableType(run),
    artifacts,
    scope:
      run.owner_uid === null
        ? { type: 'Team', uid: run.team_id }
        : { type: 'User', uid: run.owner_uid },
  };
}

/** Runs with their artifacts, in the given order. */
export async function toRunItems(
  db: Db,
  runs: readonly ItemRow[],
  context: Pick<ServiceContext, 'publicUrl'>,
): Promise<RunItem[]> {
  const artifacts = await listArtifacts(
    db,
    runs.map((run) => run.id),
  );
  return runs.map((run) => toRunItem(run, artifacts.get(run.id) ?? [], context));
}
