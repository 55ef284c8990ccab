import { agentConfig } from '../contract/agent-config.ts';
import type { CreateRunRequest, RunRead } from '../contract/run.ts';
import type { Face, Handled, Task } from './face.ts';
import { startOnce, taskMetadata } from './start.ts';

const READ_WITHIN_MS = 10_000;

/** Starts a run of the same request as an earlier one, with all its options: only the request's id is new. */
export async function retryRun(face: Face, task: Task, runId: string): Promise<Handled> {
  const sent = await face.remember.bodyOf(runId);
  const body = sent ?? requestOf(await face.service.runs.get(runId, face.patience(READ_WITHIN_MS)));
  const metadata = { ...body.metadata, ...taskMetadata(face, task) };
  return startOnce(face, task, { ...body, metadata });
}

/** The request that a run must have been made by, from what the service says of the run. */
export function requestOf(run: RunRead): CreateRunRequest {
  const { prompt, title } = run;
  const config = agentConfig.safeParse(withoutNulls(run.agent_config ?? {})).data ?? {};
  const namesSkill = config.skill_spec !== undefined || config.skills !== undefined;
  const skill = namesSkill ? undefined : run.agent_skill?.full_path;
  const agent = identityOf(run);
  return {
    ...(prompt && { prompt }),
    ...(title && { title }),
    config,
    ...(skill && { skill }),
    ...(agent && { agent_identity_uid: agent }),
    metadata: { ...run.metadata },
  };
}

/** The agent identity that executed a run, unless it was the one that asked for it. */
function identityOf({ executor, creator }: RunRead): string | undefined {
  const isAgent = executor?.type === 'service_account' && executor.uid !== creator?.uid;
  return isAgent ? (executor.uid ?? undefined) : undefined;
}

function withoutNulls(config: object): object {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
}
