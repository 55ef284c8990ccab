import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RunlinkError } from '../base/error.ts';
import { startAcpSession } from './agent/acp-session.ts';
import type { AgentSession } from './agent/session.ts';
import { StderrTail } from './agent/stderr-tail.ts';
import { agentEnvironment } from './agent-environment.ts';
import { mcpServers } from './mcp-servers.ts';
import type { Launch } from './profile/profile.ts';
import { resolveProfile, type ResolvedProfile } from './profile/resolve.ts';
import { homeOf, remember, workingDirectory, workspaceOf, type RunContext } from './run-context.ts';
import { sandboxFor } from './sandbox-for.ts';
import type { AgentProcess } from './sandbox/sandbox.ts';
import { systemPrompt } from './system-prompt.ts';

/** An agent ready to be prompted. */
export interface RunningAgent {
  session: AgentSession;
  process: AgentProcess;
  stderr: StderrTail;
  /** Goes before the first prompt, for agents that have no other place for it. */
  promptPrefix: string | undefined;
}

/**
 * Starts the run's agent while the workspace is still being made, and opens its session once that is
 * ready. Throws `agent_start_failed`, `agent_unusable`, or what went wrong with the workspace.
 */
export async function startAgent(
  run: RunContext,
  workspace: Promise<unknown>,
  alive: () => void,
): Promise<RunningAgent> {
  const profile = resolveProfile(run.lease.config, run.worker.options);
  const launch = profile.profile.launch({
    home: homeOf(run),
    cwd: workingDirectory(run),
    mode: run.lease.mode,
    model: profile.model,
    reasoningLevel: run.lease.config.harness?.reasoning_level,
    systemPrompt: systemPrompt(run),
    mcpServers: mcpServers(run.lease.config),
    access: undefined,
    command: profile.command,
  });
  await writeFiles(homeOf(run), launch);
  const agent = await run.worker.sandbox.spawn(
    sandboxFor(run, {
      command: launch.command,
      cwd: workingDirectory(run),
      env: { ...agentEnvironment(run), ...profile.variables, ...launch.env },
      writable: [workspaceOf(run), homeOf(run)],
      network: run.worker.options.network ?? 'full',
    }),
  );
  const stderr = new StderrTail(agent.stderr);
  try {
    const session = await openSession(run, { profile, launch, agent, workspace, alive });
    await remember(run, {
      agent_started: run.lease.attempt,
      ...(session.sessionId === undefined ? {} : { session_id: session.sessionId }),
    });
    await announce(run, profile);
    return { session, process: agent, stderr, promptPrefix: launch.promptPrefix };
  } catch (error) {
    await agent.destroy();
    if (!(error instanceof RunlinkError) || error.code !== 'agent_start_failed') throw error;
    throw new RunlinkError(error.code, stderr.explain(error.message), { cause: error.cause });
  }
}

interface Opening {
  profile: ResolvedProfile;
  launch: Launch;
  agent: AgentProcess;
  workspace: Promise<unknown>;
  alive(): void;
}

async function openSession(run: RunContext, opening: Opening): Promise<AgentSession> {
  const { profile, launch, agent } = opening;
  return await startAcpSession({
    process: agent,
    cwd: workingDirectory(run),
    mcpServers: profile.profile.mcp ? mcpServers(run.lease.config) : [],
    policy: profile.profile.permissions,
    mode: launch.sessionMode,
    model: launch.sessionModel,
    authMethod: launch.authMethod,
    sessionMeta: launch.sessionMeta,
    resumeId: run.file.session_id,
    prefix: `${run.lease.attempt}`,
    workspace: opening.workspace,
    emit: (drafts, raw) => run.events.emit(drafts, raw),
    alive: () => opening.alive(),
  });
}

async function announce(run: RunContext, profile: ResolvedProfile): Promise<void> {
  await run.events.emit([
    {
      type: 'agent_started',
      harness: profile.name,
      version: profile.profile.tested,
      sandbox: run.worker.sandbox.name,
    },
  ]);
}

async function writeFiles(home: string, launch: Launch): Promise<void> {
  for (const { path, content } of launch.files) {
    const target = join(home, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, content, { mode: 0o600 });
  }
}
