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

/** Throws `sandbox_unavailable` for an agent that must not run where nothing isolates it (threats.md S17). */
export function assertMayRun({ worker, file }: RunContext, resolved: ResolvedProfile): void {
  const { refusal } = worker;
  if (!refusal || (isDemo(resolved) && file.only_demo)) return;
  throw new RunlinkError(
    'sandbox_unavailable',
    `The agent "${resolved.name}" is not run without a sandbox. ${refusal.problem}`,
    { hint: refusal.remedy },
  );
}

/** What of this machine an agent needs to be started: its programs, and those that it is told of by variables. */
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

/** The variables of an agent, in which the programs that they name are where the agent sees them. */
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

/** Puts what an agent is given to read where it can be seen but not be written. */
export async function giveFiles(run: RunContext, files: readonly ProfileFile[]): Promise<View> {
  const dir = givenOf(run);
  // The run's directory above it is closed to others; the run's user need not be the worker's.
  await mkdir(dir, { recursive: true, mode: 0o755 });
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true });
  for (const { path, content } of files) await writeFile(join(dir, path), content, { mode: 0o644 });
  return {
    readOnly: [{ path: dir, at: seenAt(run, dir), why: 'instructions and settings' }],
    links: [],
  };
}
