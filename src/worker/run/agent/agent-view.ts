import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { RunlinkError } from '../../../base/error.ts';
import type { ProfileFile } from '../../profile/profile.ts';
import { isDemo, type ResolvedProfile } from '../../profile/resolve.ts';
import type { View } from '../../sandbox/confinement.ts';
import { findProgram } from '../../sandbox/program-view.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { joinViews } from '../../sandbox/view.ts';
import type { WorkerOptions } from '../../worker-options.ts';
import { givenOf, seenAt, type RunContext } from '../run-context.ts';

/** Throws `sandbox_unavailable` if this agent may not run without isolation (threats.md S17). */
export function assertMayRun({ worker, file }: RunContext, resolved: ResolvedProfile): void {
  const { refusal } = worker;
  if (!refusal || (isDemo(resolved) && file.only_demo)) return;
  throw new RunlinkError(
    'sandbox_unavailable',
    `The agent "${resolved.name}" is not run without a sandbox. ${refusal.problem}`,
    { hint: refusal.remedy },
  );
}

/**
 * What an agent must see of this machine to start: its programs, and those that its variables name.
 */
export function viewForAgent(
  { profile, command, variables }: Pick<ResolvedProfile, 'profile' | 'command' | 'variables'>,
  { environment }: Pick<WorkerOptions, 'environment'>,
  { tool }: Pick<Sandbox, 'tool'>,
): View {
  const path = environment['PATH'] ?? '';
  const { files = [] } = profile;
  const programs = [
    ...(command ? [command] : profile.programs.map((program) => [program])),
    ...(files.length > 0 ? [[process.execPath]] : []),
    ...Object.values(variables)
      .filter((value) => isProgram(value, path))
      .map((value) => [value]),
  ];
  return joinViews(...programs.map((words) => tool(words, path, files).view));
}

/**
 * The agent's variables. Paths of programs in them are replaced by where the agent sees those
 * programs.
 */
export function seenVariables(
  { variables }: Pick<ResolvedProfile, 'variables'>,
  { environment }: Pick<WorkerOptions, 'environment'>,
  { tool }: Pick<Sandbox, 'tool'>,
): Record<string, string> {
  const path = environment['PATH'] ?? '';
  const seen = Object.entries(variables).map(([name, value]) => [
    name,
    isProgram(value, path) ? (tool([value], path).command.at(-1) ?? value) : value,
  ]);
  return Object.fromEntries(seen) as Record<string, string>;
}

const isProgram = (value: string, path: string): boolean =>
  isAbsolute(value) && findProgram(value, path) !== undefined;

/** Writes the files that the agent is given to a directory that it can read but not write. */
export async function giveFiles(run: RunContext, files: readonly ProfileFile[]): Promise<View> {
  const dir = givenOf(run);
  // The run's directory above is closed to others, and the run's user may not be the worker's.
  await mkdir(dir, { recursive: true, mode: 0o755 });
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true });
  for (const { path, content } of files) await writeFile(join(dir, path), content, { mode: 0o644 });
  return {
    readOnly: [{ path: dir, at: seenAt(run, dir), why: 'instructions and settings' }],
    links: [],
  };
}
