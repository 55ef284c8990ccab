import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { RunlinkError } from '../../../base/error.ts';
import { GIVEN } from '../../lease/run-file.ts';
import type { ProfileFile } from '../../profile/profile.ts';
import { isDemo, type ResolvedProfile } from '../../profile/resolve.ts';
import type { View } from '../../sandbox/confinement.ts';
import { findProgram, programView } from '../../sandbox/program-view.ts';
import { joinViews } from '../../sandbox/view.ts';
import type { WorkerOptions } from '../../worker-options.ts';
import type { RunContext } from '../run-context.ts';

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
export function agentView(
  { profile, command, variables }: Pick<ResolvedProfile, 'profile' | 'command' | 'variables'>,
  { environment }: Pick<WorkerOptions, 'environment'>,
): View {
  const path = environment['PATH'] ?? '';
  const why = `files of the agent ${profile.name}`;
  const own = (profile.files ?? []).map((file) => ({ path: file, at: file, why }));
  const named = Object.values(variables).filter((value) => isAbsolute(value) && existsSync(value));
  const programs = [
    ...(command ? [command] : profile.programs.map((program) => [program])),
    ...(own.length > 0 ? [[process.execPath]] : []),
    ...named.filter((value) => findProgram(value, path) !== undefined).map((value) => [value]),
  ];
  return joinViews(
    { readOnly: own, links: [] },
    ...programs.map((words) => programView(words, path)),
  );
}

/** Where the files that an agent is given lie, here and in its sandbox. */
export const givenOf = (run: RunContext): string => join(run.dir, GIVEN);

/** Puts what an agent is given to read where it can be seen but not be written. */
export async function giveFiles(run: RunContext, files: readonly ProfileFile[]): Promise<View> {
  const dir = givenOf(run);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { mode: 0o700 });
  for (const { path, content } of files) await writeFile(join(dir, path), content, { mode: 0o600 });
  return { readOnly: [{ path: dir, at: dir, why: 'instructions and settings' }], links: [] };
}
