import { errorMessage, RunlinkError } from '../../base/error.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import { findUpstream, keyVariablesOf } from '../model/upstream.ts';
import { findProfile, profileNames, type ResolvedProfile } from '../profile/resolve.ts';
import { packagesToInstall, testedWith } from '../profile/agent-packages.ts';
import { chooseIsolation, type NoIsolation } from '../sandbox/choose.ts';
import type { View } from '../sandbox/confinement.ts';
import { findProgram } from '../sandbox/program-view.ts';
import type { WorkerOptions } from '../worker-options.ts';
import { openTrial } from './trial.ts';

type DoctorOptions = Pick<
  WorkerOptions,
  'harnesses' | 'environment' | 'defaultHarness' | 'sandbox' | 'engine' | 'readOnly'
>;

export interface AgentDiagnosis {
  name: string;
  /** Used for runs that name no agent. */
  isDefault: boolean;
  usable: boolean;
  /** Why it cannot be used, and what to do about it; empty if it can. */
  problems: string[];
  /** The versions that it was tested with. */
  tested: string;
}

export interface Diagnosis {
  /** Output of `git --version` in the sandbox; undefined if git does not start there. */
  git: string | undefined;
  sandbox: {
    driver: SandboxDriver;
    /** Why agents other than the demo agent are refused. */
    refusal: NoIsolation | undefined;
    gaps: readonly string[];
    /**
     * Everything on this machine that every run sees, and why; empty for the `direct` driver, which
     * hides nothing.
     */
    view: View;
  };
  agents: AgentDiagnosis[];
}

/**
 * Finds out what a worker could run on this machine. Git and every usable agent are started in the
 * sandbox.
 */
export async function diagnose(options: DoctorOptions): Promise<Diagnosis> {
  const { sandbox, refusal } = await chooseIsolation(options);
  await using trial = await openTrial(sandbox, options);
  const [git, agents] = await Promise.all([trial.git(), diagnoseAgents(options, refusal)]);
  const tried = agents.map(async (agent): Promise<AgentDiagnosis> => {
    const problem = agent.usable ? await trial.agent(agent.name) : undefined;
    if (problem === undefined) return agent;
    return { ...agent, usable: false, problems: [problem] };
  });
  return {
    git,
    sandbox: { driver: sandbox.name, refusal, gaps: sandbox.gaps, view: trial.view },
    agents: await Promise.all(tried),
  };
}

/** Every profile, usable or not, as far as that can be told without starting it. */
export async function diagnoseAgents(
  options: Pick<DoctorOptions, 'harnesses' | 'environment' | 'defaultHarness'>,
  refusal: NoIsolation | undefined,
): Promise<AgentDiagnosis[]> {
  return profileNames(options).map((name) => diagnoseAgent(name, options, refusal));
}

function diagnoseAgent(
  name: string,
  options: Parameters<typeof diagnoseAgents>[0],
  refusal: NoIsolation | undefined,
): AgentDiagnosis {
  const isDefault = name === options.defaultHarness;
  try {
    const found = findProfile(name, options);
    const demo = found.profile.name === 'demo' && !found.own?.command;
    const problems = [
      ...programProblems(
        { profile: found.profile, command: found.own?.command },
        options.environment['PATH'] ?? '',
      ),
      ...keyProblems(found, options.environment),
      ...(refusal && !demo ? ['It is not run without a sandbox, and none works here.'] : []),
    ];
    const tested = testedWith(found.profile);
    return { name, isDefault, usable: problems.length === 0, problems, tested };
  } catch (error) {
    const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
    const problems = [errorMessage(error) + hint];
    return { name, isDefault, usable: false, problems, tested: '' };
  }
}

type Found = ReturnType<typeof findProfile>;

/** Which of an agent's programs are missing, and how to install them. */
export function programProblems(
  { profile, command }: Pick<ResolvedProfile, 'profile' | 'command'>,
  path: string,
): string[] {
  const programs = command ? command.slice(0, 1) : profile.programs;
  const missing = programs.filter((program) => findProgram(program, path) === undefined);
  const remedy = command ? '.' : `: npm install -g ${packagesToInstall(profile).join(' ')}`;
  return missing.map((program) => `"${program}" is not on PATH${remedy}`);
}

/**
 * If the operator passes variables on to the agent, the key may be in them, so none is demanded.
 */
function keyProblems({ profile, own }: Found, environment: DoctorOptions['environment']): string[] {
  const protocol = profile.protocol(own?.model_id);
  const passesOwn = (own?.variables ?? []).some((variable) => environment[variable]);
  if (!protocol || passesOwn || findUpstream(protocol, environment)) return [];
  const variables = keyVariablesOf(protocol).join(' or ');
  return [`There is no key for its model: set ${variables}.`];
}
