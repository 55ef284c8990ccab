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
import { copyMirror, refreshMirror, type Mirror } from '../../git/mirror.ts';
import { readRemote } from '../../git/remote.ts';
import type { View } from '../../sandbox/confinement.ts';
import { runErrand } from '../errand.ts';
import { takeWork } from '../result/collect-result.ts';
import {
  logStep,
  cloneDirectory,
  remember,
  remoteGitVariables,
  type RunContext,
} from '../run-context.ts';
import { findSnapshot } from '../../snapshot/store.ts';
import { leasedToken } from './git-token.ts';
import { pullTarget, type PullTarget } from './pull-target.ts';
import { runSetupCommands } from './setup-commands.ts';
import {
  hasSnapshots,
  keepSnapshot,
  mayUseSnapshot,
  restoreSnapshot,
  snapshotOf,
} from './setup-snapshot.ts';

export interface Preparation {
  /** The clones' directories that hold a repository from an earlier execution. */
  present: ReadonlySet<string>;
  /** Whether the run's directories are new. */
  fresh: boolean;
  /** Called once it does no harm to the workspace if the agent starts. */
  agentMayStart: () => void;
  /** What the set-up commands see; the same as the agent. */
  view: View;
  /** Settles when the image for the commands is here. */
  image: Promise<void>;
}

/** A repository whose files are not there yet. */
interface Begun extends BegunClone {
  mirror: Mirror;
}

/**
 * Clones the environment's repositories, or continues with what an earlier execution left, and runs
 * the set-up commands.
 */
export async function prepareWorkspace(run: RunContext, preparation: Preparation): Promise<void> {
  const isSetUp = !needsSetUp(run);
  const reuses = !isSetUp && mayUseSnapshot(run, preparation.fresh);
  if (!reuses) preparation.agentMayStart();
  // If there may be a snapshot for this run, the clones are not filled yet: the snapshot has their
  // files.
  const later = reuses && (await hasSnapshots(run));
  const begun = await prepareRepositories(run, preparation, later);
  if (isSetUp) return;
  await preparation.image;
  const clones = later ? begun.map(({ clone }) => clone) : run.file.clones;
  const snapshot = reuses ? await snapshotOf(run, clones) : undefined;
  const setUpHere = async (dir: string | undefined): Promise<void> => {
    for (const each of begun) await fill(run, each, true);
    await setUp(run, preparation.view, dir);
  };
  if (snapshot === undefined) {
    preparation.agentMayStart();
    return await setUpHere(undefined);
  }
  const found = await findSnapshot(snapshot);
  // The agent must not start before the snapshot is made, or files it writes could get into it.
  if (!found) return await setUpHere(snapshot);
  preparation.agentMayStart();
  if (!(await restoreSnapshot(run, snapshot, found, clones))) await setUpHere(undefined);
}

function needsSetUp({ lease, file }: RunContext): boolean {
  const commands = lease.environment?.setup_commands ?? [];
  return commands.length > 0 && file.setup_done !== lease.attempt;
}

async function setUp(run: RunContext, view: View, snapshot: string | undefined): Promise<void> {
  await runSetupCommands(run, run.lease.environment?.setup_commands ?? [], view);
  const works = await takeWork(run);
  const trees = works.map(({ clone, work }) => [clone.name, work.treeSha]);
  await remember(run, {
    setup_done: run.lease.attempt,
    setup_trees: Object.fromEntries(trees) as Record<string, string>,
  });
  if (snapshot !== undefined) await keepSnapshot(run, snapshot, works);
}

/** Returns the repositories that are still to be filled, if `later` is set. */
async function prepareRepositories(
  run: RunContext,
  directories: Pick<Preparation, 'present' | 'fresh'>,
  later: boolean,
): Promise<Begun[]> {
  const begun: Begun[] = [];
  for (const repository of run.lease.environment?.repositories ?? [])
    begun.push(...(await prepareRepository(run, repository, directories, later)));
  return begun;
}

async function prepareRepository(
  run: RunContext,
  repository: LeaseRepository,
  { present: places, fresh }: Pick<Preparation, 'present' | 'fresh'>,
  later: boolean,
): Promise<Begun[]> {
  const { owner, name } = repository;
  const known = run.file.clones.find((clone) => clone.owner === owner && clone.name === name);
  const present = known !== undefined && places.has(known.workTree);
  if (run.adopted && present) return [];
  return await logStep(run, 'clone', `Clone ${owner}/${name}`, async () => {
    const target = await pullTarget(run, repository);
    const mirror = await mirrorOf(run, repository, target?.sha);
    if (target?.isFork) await assertNoWorkflows(mirror.dir, target);
    const shared = target?.branch !== undefined;
    if (present && known.shared === shared && (await isUntouched(run, known, mirror))) return [];
    const begun = await begin(run, repository, { known, target, mirror });
    if (later) return [begun];
    await fill(run, begun, fresh);
    return [];
  });
}

async function begin(
  run: RunContext,
  repository: LeaseRepository,
  from: { known: RunClone | undefined; target: PullTarget | undefined; mirror: Mirror },
): Promise<Begun> {
  const { owner, name, ref } = repository;
  const { known, target, mirror } = from;
  const begun = await beginClone({
    owner,
    name,
    remote: remoteOf(run, repository),
    mirror,
    workTree: cloneDirectory(run, repository),
    gitDir: join(run.dir, 'git', `${owner}__${name}.git`),
    ref: target?.base ?? ref,
    startSha: target?.sha,
    branch: target?.branch ?? ownBranch(run, known),
    pull: target?.number,
    shared: target?.branch !== undefined,
    continueBranch: run.lease.resume !== undefined || run.lease.attempt > 1,
  });
  return { ...begun, mirror };
}

/**
 * The run's own branch: the one of an earlier execution, unless that worked on a pull request's
 * branch.
 */
export function ownBranch({ lease }: RunContext, known: RunClone | undefined): string {
  const theirs = lease.metadata['runlink.head_ref'];
  const earlier = [known?.branch, lease.resume?.branch].filter((branch) => branch !== undefined);
  return earlier.find((branch) => branch !== theirs) ?? branchName(lease.title, lease.run_id);
}

/**
 * Refuses a fork's changes to workflows: pushed here, they would run with this repository's secrets
 * (threats.md G6).
 */
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

/**
 * Fills the agent's directory from inside the sandbox, where the mirror can only be read and
 * nothing but the run's own directory can be written.
 */
async function fill(run: RunContext, begun: Begun, untouched: boolean): Promise<void> {
  const { clone, mirror } = begun;
  const shown = { path: mirror.dir, at: mirror.dir, why: 'the repository to be cloned' };
  const errand = {
    name: 'clone',
    command: fillCommand(begun, mirror),
    views: [{ readOnly: [shown], links: [] }],
    writable: [join(run.dir, 'workspace')],
    untouched,
    signal: run.stop.signal,
  };
  await copyMirror(mirror.dir, () => runErrand(run.worker, run.file.process_marker, errand)).catch(
    (error: unknown) => {
      run.stop.signal.throwIfAborted();
      if (error instanceof RunlinkError && error.code !== 'errand_failed') throw error;
      throw new RunlinkError('git_failed', `The clone could not be made: ${errorMessage(error)}`);
    },
  );
  const others = run.file.clones.filter(
    ({ owner, name }) => owner !== clone.owner || name !== clone.name,
  );
  await remember(run, { clones: [...others, clone] });
}

/**
 * Whether nobody else pushed to the run's branch since we did, so that the kept workspace is up to
 * date.
 */
async function isUntouched(run: RunContext, clone: RunClone, mirror: Mirror): Promise<boolean> {
  const shown = await headOf(mirror.dir, clone.branch);
  const left = run.file.published[clone.name] ?? (clone.shared ? clone.keepSha : '');
  return (shown ?? '') === left;
}
