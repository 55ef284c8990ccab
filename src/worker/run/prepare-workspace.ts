import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { branchName } from '../git/branch-name.ts';
import { cloneForRun, type RunClone } from '../git/clone.ts';
import { worktreeTree } from '../git/collect.ts';
import { git } from '../git/git.ts';
import { refreshMirror, type Mirror } from '../git/mirror.ts';
import { readRemote } from '../git/remote.ts';
import { leasedToken } from './git-token.ts';
import {
  artifactsOf,
  homeOf,
  logStep,
  remember,
  remoteGitVariables,
  workingDirectory,
  workspaceOf,
  type RunContext,
} from './run-context.ts';
import { runSetupCommands } from './setup-commands.ts';
import type { Lease } from '../../contract/lease.ts';

type Repository = NonNullable<Lease['environment']>['repositories'][number];

/** The directories that must stand before anything of the run is started. */
export async function makeDirectories(run: RunContext): Promise<void> {
  const dirs = [workingDirectory(run), homeOf(run), artifactsOf(run), join(run.dir, 'tmp')];
  await Promise.all(dirs.map((dir) => mkdir(dir, { recursive: true, mode: 0o700 })));
}

/** Clones what the environment names, or goes on in what an earlier execution left, and sets it up. */
export async function prepareWorkspace(run: RunContext): Promise<void> {
  const { environment } = run.lease;
  if (!environment) return;
  for (const repository of environment.repositories) await prepareRepository(run, repository);
  if (run.file.setup_done === run.lease.attempt || environment.setup_commands.length === 0) return;
  await runSetupCommands(run, environment.setup_commands);
  const trees: Record<string, string> = {};
  for (const clone of run.file.clones) trees[clone.name] = await worktreeTree(clone, clone.keepSha);
  await remember(run, { setup_done: run.lease.attempt, setup_trees: trees });
}

async function prepareRepository(run: RunContext, repository: Repository): Promise<void> {
  const { owner, name } = repository;
  const known = run.file.clones.find((clone) => clone.owner === owner && clone.name === name);
  const present = known && (await stat(join(known.workTree, '.git')).catch(() => undefined));
  if (run.adopted && present) return;
  await logStep(run, 'clone', `Clone ${owner}/${name}`, async () => {
    const allowInsecure = run.worker.options.allowInsecureRemotes ?? false;
    const remote = readRemote(repository, allowInsecure);
    const token = await leasedToken(run);
    const mirror = await refreshMirror(run.worker.mirrors, {
      remote,
      token,
      signal: run.stop.signal,
      env: remoteGitVariables(run),
      limitBytes: run.worker.limits.workspaceBytes,
    });
    if (known && present && (await isUntouched(run, known, mirror))) return;
    const clone = await cloneForRun({
      owner,
      name,
      remote,
      mirror,
      workTree: join(workspaceOf(run), name),
      gitDir: join(run.dir, 'git', `${name}.git`),
      ref: repository.ref,
      branch:
        known?.branch ?? run.lease.resume?.branch ?? branchName(run.lease.title, run.lease.run_id),
      continueBranch: run.lease.resume !== undefined || run.lease.attempt > 1,
    });
    const others = run.file.clones.filter((each) => each !== known);
    await remember(run, { clones: [...others, clone] });
  });
}

/** Nobody else pushed to the run's branch since we did: the kept workspace is still what it was. */
async function isUntouched(run: RunContext, clone: RunClone, mirror: Mirror): Promise<boolean> {
  const ref = `refs/heads/${clone.branch}`;
  const shown = await git(['for-each-ref', '--format=%(objectname)', ref], { gitDir: mirror.dir });
  return shown.trim() === (run.file.published[clone.name] ?? '');
}
