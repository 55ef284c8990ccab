import { join } from 'node:path';
import { errorMessage, RunlinkError } from '../../../base/error.ts';
import type { LeaseRepository } from '../../../contract/lease.ts';
import { branchName } from '../../git/branch-name.ts';
import {
  beginClone,
  fillCommand,
  headOf,
  type BegunClone,
  type RunClone,
} from '../../git/clone.ts';
import { credentialsFor } from '../../git/credentials.ts';
import { refreshMirror, type Mirror } from '../../git/mirror.ts';
import { readRemote } from '../../git/remote.ts';
import type { View } from '../../sandbox/confinement.ts';
import { runErrand } from '../errand.ts';
import { takeWork } from '../result/collect-result.ts';
import { logStep, placeOf, remember, remoteGitVariables, type RunContext } from '../run-context.ts';
import { leasedToken } from './git-token.ts';
import { runSetupCommands } from './setup-commands.ts';

export interface Preparation {
  /** Places of clones that an earlier execution left. */
  present: ReadonlySet<string>;
  /** What the set-up commands see, as the agent does. */
  view: View;
}

/** Clones what the environment names, or goes on in what an earlier execution left, and sets it up. */
export async function prepareWorkspace(run: RunContext, preparation: Preparation): Promise<void> {
  const { environment } = run.lease;
  if (!environment) return;
  for (const repository of environment.repositories)
    await prepareRepository(run, repository, preparation.present);
  if (run.file.setup_done === run.lease.attempt || environment.setup_commands.length === 0) return;
  await runSetupCommands(run, environment.setup_commands, preparation.view);
  const trees = (await takeWork(run)).map(({ clone, work }) => [clone.name, work.treeSha]);
  await remember(run, {
    setup_done: run.lease.attempt,
    setup_trees: Object.fromEntries(trees) as Record<string, string>,
  });
}

async function prepareRepository(
  run: RunContext,
  repository: LeaseRepository,
  places: ReadonlySet<string>,
): Promise<void> {
  const { owner, name } = repository;
  const known = run.file.clones.find((clone) => clone.owner === owner && clone.name === name);
  const present = known !== undefined && places.has(known.workTree);
  if (run.adopted && present) return;
  await logStep(run, 'clone', `Clone ${owner}/${name}`, async () => {
    const mirror = await mirrorOf(run, repository);
    if (present && (await isUntouched(run, known, mirror))) return;
    const begun = await beginClone({
      owner,
      name,
      remote: remoteOf(run, repository),
      mirror,
      workTree: placeOf(run, repository),
      gitDir: join(run.dir, 'git', `${owner}__${name}.git`),
      ref: repository.ref,
      branch:
        known?.branch ?? run.lease.resume?.branch ?? branchName(run.lease.title, run.lease.run_id),
      continueBranch: run.lease.resume !== undefined || run.lease.attempt > 1,
    });
    await fill(run, begun, mirror);
    const others = run.file.clones.filter((each) => each !== known);
    await remember(run, { clones: [...others, begun.clone] });
  });
}

const remoteOf = (run: RunContext, repository: LeaseRepository) =>
  readRemote(repository, run.worker.options.allowInsecureRemotes ?? false);

async function mirrorOf(run: RunContext, repository: LeaseRepository): Promise<Mirror> {
  const { git } = run.lease;
  const token = await leasedToken(run);
  return await refreshMirror(run.worker.mirrors, {
    remote: remoteOf(run, repository),
    credentials: git && credentialsFor(repository.clone_url, { token, apiUrl: git.api_url }),
    signal: run.stop.signal,
    env: remoteGitVariables(run),
    limitBytes: run.worker.limits.workspaceBytes,
  });
}

/** The agent's directory is filled where the agent is: there the mirror can be read, and nothing but the run's own be written. */
async function fill(run: RunContext, begun: BegunClone, mirror: Mirror): Promise<void> {
  const shown = { path: mirror.dir, at: mirror.dir, why: 'the repository to be cloned' };
  await runErrand(run.worker, run.file.cookie, {
    name: 'clone',
    command: fillCommand(begun, mirror),
    views: [{ readOnly: [shown], links: [] }],
    writable: [join(run.dir, 'workspace')],
    signal: run.stop.signal,
  }).catch((error: unknown) => {
    run.stop.signal.throwIfAborted();
    throw new RunlinkError('git_failed', `The clone could not be made: ${errorMessage(error)}`);
  });
}

/** Nobody else pushed to the run's branch since we did: the kept workspace is still what it was. */
async function isUntouched(run: RunContext, clone: RunClone, mirror: Mirror): Promise<boolean> {
  const shown = await headOf(mirror.dir, clone.branch);
  return (shown ?? '') === (run.file.published[clone.name] ?? '');
}
