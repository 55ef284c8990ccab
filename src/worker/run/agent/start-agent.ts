import { addAbortListener } from 'node:events';
import { RunlinkError } from '../../../base/error.ts';
import { startExecSession } from '../../agent/exec-session.ts';
import { relativePaths } from '../../agent/relative-paths.ts';
import type { AgentSession } from '../../agent/session.ts';
import { StderrTail } from '../../agent/stderr-tail.ts';
import type { ModelSession } from '../../model/model-session.ts';
import type { Launch, Profile } from '../../profile/profile.ts';
import { programProblems } from '../../doctor/diagnose.ts';
import type { ResolvedProfile } from '../../profile/resolve.ts';
import { MODEL_PORT, type Confinement, type View } from '../../sandbox/confinement.ts';
import { confine } from '../confine.ts';
import {
  givenOf,
  homeOf,
  networkOf,
  remember,
  seenAt,
  warn,
  workingDirectory,
  type RunContext,
} from '../run-context.ts';
import { placesOf } from '../run-directories.ts';
import { agentEnvironment } from './agent-environment.ts';
import { giveFiles, namedPrograms, seenVariables, startCommand } from './agent-view.ts';
import { mcpServers } from './mcp-servers.ts';
import { openModel } from './open-model.ts';
import { systemPrompt } from './system-prompt.ts';

/** An agent that is ready for prompts. */
export interface RunningAgent {
  session: AgentSession;
  name: string;
  profile: Profile;
  model: ModelSession | undefined;
  /** Put in front of the first prompt, for agents that have no other place for it. */
  promptPrefix: string | undefined;
  /** Adds the end of the agent's stderr to a message. */
  explain(message: string): string;
  /** Ends every process of the agent. */
  destroy(): Promise<void>;
}

/** How an agent is to be started. */
export interface Start {
  resolved: ResolvedProfile;
  /** What it sees in addition to what every run sees. */
  view: View;
  /** Settles when the working directory is ready. */
  workspace: Promise<unknown>;
  /** Settles when the program may begin. */
  held: Promise<unknown>;
  alive(): void;
}

interface Opening extends Start {
  run: RunContext;
  launch: Launch;
  confinement: Confinement;
}

type Started = Pick<RunningAgent, 'session' | 'explain' | 'destroy'>;

/**
 * Starts the run's agent while the workspace is still being prepared, and opens the session once
 * that is ready. Throws `agent_start_failed`, `agent_unusable`, or the workspace's failure.
 */
export async function startAgent(run: RunContext, start: Start): Promise<RunningAgent> {
  const { resolved } = start;
  const { sandbox, options } = run.worker;
  const path = options.environment['PATH'] ?? '';
  for (const value of Object.values(resolved.variables)) run.addSecret(value);
  const model = await openModel(run, resolved, () => start.alive());
  try {
    const launch = launchOf(run, resolved, model?.access);
    const programs = namedPrograms(resolved, options, sandbox);
    const given = await giveFiles(run, [...launch.files, ...programs]);
    const confinement = confine(run.worker, {
      image: run.image,
      command: startCommand(launch, options, sandbox),
      cwd: workingDirectory(run),
      env: {
        ...agentEnvironment(run),
        ...seenVariables(resolved, options, sandbox),
        ...launch.env,
      },
      views: [start.view, given],
      writable: placesOf(run),
      network: networkOf(run),
      doors: [
        ...(model?.socket === undefined ? [] : [{ socket: model.socket, port: MODEL_PORT }]),
        ...(run.egress ? [run.egress] : []),
      ],
      processMarker: run.file.process_marker,
    });
    const opening = { ...start, run, launch, confinement };
    const started = await (resolved.profile.kind === 'exec' ? startExec : startAcp)(opening);
    await announce(run, resolved, started.session);
    return {
      ...started,
      name: resolved.name,
      profile: resolved.profile,
      model: model?.session,
      promptPrefix: started.session.resumed ? undefined : launch.promptPrefix,
      destroy: async () => {
        await started.destroy();
        await model?.close();
      },
    };
  } catch (error) {
    await model?.close();
    throw explainStart(error, resolved, path);
  }
}

/** If the program is not installed, says so instead of showing the sandbox's error. */
function explainStart(error: unknown, resolved: ResolvedProfile, path: string): unknown {
  if (!(error instanceof RunlinkError) || error.code !== 'agent_start_failed') return error;
  const problems = programProblems(resolved, path);
  if (problems.length === 0) return error;
  return new RunlinkError('agent_unusable', problems.join(' '));
}

function launchOf(
  run: RunContext,
  { profile, model, command, permissions }: ResolvedProfile,
  access: Parameters<Profile['launch']>[0]['access'],
): Launch {
  return profile.launch({
    home: seenAt(run, homeOf(run)),
    given: seenAt(run, givenOf(run)),
    cwd: workingDirectory(run),
    mode: run.lease.mode,
    model,
    reasoningLevel: run.lease.config.harness?.reasoning_level,
    permissions,
    systemPrompt: systemPrompt(run),
    mcpServers: mcpServers(run.lease.config),
    access,
    command,
  });
}

async function startAcp(opening: Opening): Promise<Started> {
  const { run, launch, confinement, workspace, held } = opening;
  const { profile, permissions } = opening.resolved;
  // The protocol's library is a fifth of an idle worker's memory, so it is loaded with the first
  // agent.
  const { startAcpSession } = await import('../../agent/acp-session.ts');
  const agent = await run.worker.sandbox.spawn(confinement, held);
  const stderr = new StderrTail(agent.stderr);
  // An agent whose session is not open yet cannot be asked to stop, so it is killed.
  using _ = addAbortListener(run.stop.signal, () => void agent.destroy());
  try {
    const session = await startAcpSession({
      process: agent,
      cwd: workingDirectory(run),
      mcpServers: profile.lacks.mcp === undefined ? mcpServers(run.lease.config) : [],
      policy: permissions === 'refused' ? 'deny' : 'allow',
      mode: launch.sessionMode,
      model: launch.sessionModel,
      thought: launch.sessionThought,
      authMethod: launch.authMethod,
      sessionMeta: launch.sessionMeta,
      resumeId: profile.lacks.resume === undefined ? run.file.session_id : undefined,
      prefix: `${run.lease.attempt}`,
      workspace,
      emit: (drafts, raw) =>
        run.events.emit(
          drafts.map((draft) => relativePaths(draft, workingDirectory(run))),
          raw,
        ),
      alive: () => opening.alive(),
    });
    return {
      session,
      explain: (message) => stderr.explain(message),
      destroy: () => agent.destroy(),
    };
  } catch (error) {
    await agent.destroy();
    if (!(error instanceof RunlinkError) || error.code !== 'agent_start_failed') throw error;
    throw new RunlinkError(error.code, stderr.explain(error.message), { cause: error.cause });
  }
}

async function startExec(opening: Opening): Promise<Started> {
  const { run, confinement, workspace } = opening;
  const session = await startExecSession({
    spawn: () => run.worker.sandbox.spawn(confinement),
    workspace,
    prefix: `${run.lease.attempt}`,
    emit: (drafts, raw) => run.events.emit(drafts, raw),
    alive: () => opening.alive(),
  });
  return { session, explain: (message) => message, destroy: () => session.cancel() };
}

async function announce(
  run: RunContext,
  { name, profile }: ResolvedProfile,
  { sessionId, version }: AgentSession,
): Promise<void> {
  await remember(run, {
    agent_started: run.lease.attempt,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  });
  const sandbox = run.worker.sandbox.name;
  await run.events.emit([
    { type: 'agent_started', harness: name, ...(version ? { version } : {}), sandbox },
  ]);
  if (sandbox === 'direct') await warn(run, NOT_ISOLATED);
  const { config } = run.lease;
  if (config.mcp_servers) await warnOfLack(run, { name, profile }, 'mcp');
  if (config.harness?.reasoning_level) await warnOfLack(run, { name, profile }, 'reasoning');
}

const LACKED = {
  mcp: 'the MCP servers',
  images: 'the images',
  reasoning: 'the reasoning level',
} as const;

/** Warns in the log if the agent cannot use something that the run asks for. */
export async function warnOfLack(
  run: RunContext,
  { name, profile }: Pick<ResolvedProfile, 'name' | 'profile'>,
  ability: keyof typeof LACKED,
): Promise<void> {
  const reason = profile.lacks[ability];
  if (reason !== undefined)
    await warn(run, `"${name}" works without ${LACKED[ability]}: ${reason}.`);
}

const NOT_ISOLATED =
  'This run is not isolated: its agent has the rights of the worker\u2019s user on the worker\u2019s machine.';
