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
import { git } from '../../git/git.ts';
import { refreshMirror, type Mirror } from '../../git/mirror.ts';
import { readRemote } from '../../git/remote.ts';
import type { View } from '../../sandbox/confinement.ts';
import { runErrand } from '../errand.ts';
import { takeWork } from '../result/collect-result.ts';
import { logStep, placeOf, remember, remoteGitVariables, type RunContext } from '../run-context.ts';
import { leasedToken } from './git-token.ts';
import { pullTarget, type PullTarget } from './pull-target.ts';
import { runSetupCommands } from './setup-commands.ts';

export interface Preparation {
  /** Places of clones that an earlier execution left. */
  present: ReadonlySet<string>;
  /** What the set-up commands see, as the agent does. */
  view: View;
  /** Settles when the image that they run in is here. */
  image: Promise<void>;
}

/** Clones what the environment names, or goes on in what an earlier execution left, and sets it up. */
export async function prepareWorkspace(run: RunContext, preparation: Preparation): Promise<void> {
  const { environment } = run.lease;
  if (!environment) return;
  for (const repository of environment.repositories)
    await prepareRepository(run, repository, preparation.present);
  if (run.file.setup_done === run.lease.attempt || environment.setup_commands.length === 0) return;
  await preparation.image;
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
    const target = await pullTarget(run, repository);
    const mirror = await mirrorOf(run, repository, target?.sha);
    if (target?.isFork) await assertNoWorkflows(mirror.dir, target);
    const shared = target?.branch !== undefined;
    if (present && known.shared === shared && (await isUntouched(run, known, mirror))) return;
    const clone = await cloneAfresh(run, repository, { known, target, mirror });
    const others = run.file.clones.filter((each) => each !== known);
    await remember(run, { clones: [...others, clone] });
  });
}

async function cloneAfresh(
  run: RunContext,
  repository: LeaseRepository,
  from: { known: RunClone | undefined; target: PullTarget | undefined; mirror: Mirror },
): Promise<RunClone> {
  const { owner, name, ref } = repository;
  const { known, target, mirror } = from;
  const begun = await beginClone({
    owner,
    name,
    remote: remoteOf(run, repository),
    mirror,
    workTree: placeOf(run, repository),
    gitDir: join(run.dir, 'git', `${owner}__${name}.git`),
    ref: target?.base ?? ref,
    startSha: target?.sha,
    branch: target?.branch ?? ownBranch(run, known),
    pull: target?.number,
    shared: target?.branch !== undefined,
    continueBranch: run.lease.resume !== undefined || run.lease.attempt > 1,
  });
  await fill(run, begun, mirror);
  return begun.clone;
}

/** The branch of the run itself: that of an earlier execution, unless it worked on a pull request's. */
export function ownBranch({ lease }: RunContext, known: RunClone | undefined): string {
  const theirs = lease.metadata['runlink.head_ref'];
  const earlier = [known?.branch, lease.resume?.branch].filter((branch) => branch !== undefined);
  return earlier.find((branch) => branch !== theirs) ?? branchName(lease.title, lease.run_id);
}

/** A fork's workflows, pushed here, would be run with the secrets of this repository (threats.md G6). */
async function assertNoWorkflows(gitDir: string, { base, sha, number }: PullTarget): Promise<void> {
  const range = [`refs/heads/${base}...${sha}`, '--', '.github/workflows', '.github/actions'];
  const changed = await git(['diff', '--name-only', ...range], { gitDir });
  if (changed.trim() === '') return;
  throw new RunlinkError(
    'push_failed',
    `The fork of pull request #${number} changes workflows, which would be run here with this repository’s secrets.`,
    { hint: 'Bring that change in by hand first.' },
  );
}

const remoteOf = (run: RunContext, repository: LeaseRepository) =>
  readRemote(repository, run.worker.options.allowInsecureRemotes ?? false);

async function mirrorOf(
  run: RunContext,
  repository: LeaseRepository,
  commit: string | undefined,
): Promise<Mirror> {
  const { git } = run.lease;
  const token = await leasedToken(run);
  return await refreshMirror(run.worker.mirrors, {
    remote: remoteOf(run, repository),
    credentials: git && credentialsFor(repository.clone_url, { token, apiUrl: git.api_url }),
    signal: run.stop.signal,
    env: remoteGitVariables(run),
    limitBytes: run.worker.limits.workspaceBytes,
    commit,
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
  const left = run.file.published[clone.name] ?? (clone.shared ? clone.keepSha : '');
  return (shown ?? '') === left;
}
