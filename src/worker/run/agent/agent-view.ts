import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { RunlinkError } from '../../../base/error.ts';
import type { Launch, ProfileFile } from '../../profile/profile.ts';
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

/** The whole command of an agent, as the sandbox starts it. */
export function startCommand(
  { before = [], command }: Launch,
  { environment }: Pick<WorkerOptions, 'environment'>,
  { tool }: Pick<Sandbox, 'tool'>,
): string[] {
  return [...before, ...tool(command, environment['PATH'] ?? '').command];
}

/** Scripts in `bin` for the programs that the agent starts by name, if they are seen elsewhere. */
export function namedPrograms(
  { profile, command }: Pick<ResolvedProfile, 'profile' | 'command'>,
  { environment }: Pick<WorkerOptions, 'environment'>,
  { tool }: Pick<Sandbox, 'tool'>,
): ProfileFile[] {
  const names = command ? [] : profile.programs.slice(1);
  return names.flatMap((name) => {
    const words = tool([name], environment['PATH'] ?? '').command;
    if (words[0] === name) return [];
    const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
    const content = `#!/bin/sh\nexec ${quoted} "$@"\n`;
    return [{ path: `bin/${name}`, content, executable: true }];
  });
}

const isProgram = (value: string, path: string): boolean =>
  isAbsolute(value) && findProgram(value, path) !== undefined;

/** Writes the files that the agent is given to a directory that it can read but not write. */
export async function giveFiles(run: RunContext, files: readonly ProfileFile[]): Promise<View> {
  const dir = givenOf(run);
  await writeGiven(dir, files);
  return {
    readOnly: [{ path: dir, at: seenAt(run, dir), why: 'instructions and settings' }],
    links: [],
  };
}

export async function writeGiven(dir: string, files: readonly ProfileFile[]): Promise<void> {
  // The run's directory above is closed to others, and the run's user may not be the worker's.
  await makeReadable(dir);
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true });
  for (const { path, content, executable } of files) {
    const file = join(dir, path);
    await makeReadable(dirname(file));
    await writeFile(file, content);
    // Whatever the worker's umask is.
    await chmod(file, executable ? 0o755 : 0o644);
  }
}

/** Makes a directory that every user may read; in a pod it is there and is not the worker's. */
async function makeReadable(dir: string): Promise<void> {
  if ((await mkdir(dir, { recursive: true })) !== undefined) await chmod(dir, 0o755);
}
