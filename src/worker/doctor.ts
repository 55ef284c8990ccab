import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { errorMessage, RunlinkError } from '../base/error.ts';
import { git } from './git/git.ts';
import { findUpstream, UPSTREAMS } from './model/upstream.ts';
import { findProfile, profileNames } from './profile/resolve.ts';
import { packagesToInstall, testedWith } from './profile/tested.ts';
import { chooseSandbox } from './sandbox/choose.ts';
import type { WorkerOptions } from './worker-options.ts';

type Asked = Pick<WorkerOptions, 'harnesses' | 'environment' | 'defaultHarness' | 'sandbox'>;

export interface AgentDiagnosis {
  name: string;
  /** Chosen for runs that name none. */
  isDefault: boolean;
  usable: boolean;
  /** Why it cannot be used, and what to do about it; empty when it can. */
  problems: string[];
  /** Versions it was tested with. */
  tested: string;
}

export interface Diagnosis {
  /** Output of `git --version`; undefined where there is none. */
  git: string | undefined;
  sandbox: { name: string; gaps: readonly string[] } | { name: undefined; problem: string };
  agents: AgentDiagnosis[];
}

/** What a worker could do on this machine: which agents are usable and why not. Starts no agent. */
export async function diagnose(options: Asked): Promise<Diagnosis> {
  const [version, sandbox, agents] = await Promise.all([
    git(['--version']).then(
      (text) => text.trim(),
      () => undefined,
    ),
    chooseSandbox(options.sandbox).then(
      ({ name, gaps }) => ({ name, gaps }),
      (error: unknown) => ({ name: undefined, problem: errorMessage(error) }),
    ),
    diagnoseAgents(options),
  ]);
  return { git: version, sandbox, agents };
}

/** Every profile, usable or not. */
export async function diagnoseAgents(options: Asked): Promise<AgentDiagnosis[]> {
  return await Promise.all(profileNames(options).map((name) => diagnoseAgent(name, options)));
}

async function diagnoseAgent(name: string, options: Asked): Promise<AgentDiagnosis> {
  const isDefault = name === options.defaultHarness;
  try {
    const found = findProfile(name, options);
    const problems = [
      ...(await programProblems(found, options.environment['PATH'] ?? '')),
      ...keyProblems(found, options.environment),
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

async function programProblems({ profile, own }: Found, path: string): Promise<string[]> {
  const programs = own?.command ? own.command.slice(0, 1) : profile.programs;
  const found = await Promise.all(programs.map((program) => isOnPath(program, path)));
  const missing = programs.filter((_, index) => !found[index]);
  const remedy = own?.command ? '.' : `: npm install -g ${packagesToInstall(profile).join(' ')}`;
  return missing.map((program) => `"${program}" is not on PATH${remedy}`);
}

/** A profile that passes variables of its own on may hold the key in them. */
function keyProblems({ profile, own }: Found, environment: Asked['environment']): string[] {
  const protocol = profile.protocol(own?.model_id);
  const passesOwn = (own?.variables ?? []).some((variable) => environment[variable]);
  if (!protocol || passesOwn || findUpstream(protocol, environment)) return [];
  const variables = UPSTREAMS[protocol].keys.map(([variable]) => variable).join(' or ');
  return [`There is no key for its model: set ${variables}.`];
}

async function isOnPath(program: string, path: string): Promise<boolean> {
  const places = isAbsolute(program)
    ? [program]
    : path.split(delimiter).map((dir) => join(dir, program));
  for (const place of places) {
    const ok = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (ok) return true;
  }
  return false;
}
