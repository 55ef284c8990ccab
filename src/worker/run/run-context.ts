import { join } from 'node:path';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/connect.ts';
import type { ProxyVariables } from '../../client/node-http.ts';
import type { HttpRequest } from '../../client/send.ts';
import type { Lease, LeaseRepository, Signal } from '../../contract/lease.ts';
import type { RequestUsage } from '../../contract/run.ts';
import type { Github } from '../../github/read/octokit.ts';
import type { RunClone } from '../git/clone.ts';
import { assertName } from '../git/remote.ts';
import type { Heartbeats } from '../lease/heartbeats.ts';
import { GIVEN, writeRunFile, type RunFile } from '../lease/run-file.ts';
import type { Outlet } from '../log/outlet.ts';
import type { ModelProxy } from '../model/proxy.ts';
import type { NoIsolation } from '../sandbox/choose.ts';
import type { Door, Network, View } from '../sandbox/confinement.ts';
import { MARKER_VARIABLE } from '../sandbox/process-marker.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Keep, RunLimits, WorkerOptions } from '../worker-options.ts';

/** What all runs of a worker share. */
export interface WorkerContext {
  options: WorkerOptions;
  limits: RunLimits;
  keep: Keep;
  /** Variables that name the proxies on the way out; none where they are not to be used. */
  proxyEnv: ProxyVariables;
  /** How the service is reached, with whichever key. */
  request: HttpRequest;
  client: Client;
  heartbeats: Heartbeats;
  sandbox: Sandbox;
  /** Why only the demo agent may run here; undefined where all may. */
  refusal: NoIsolation | undefined;
  /** What every run sees of this machine; `imageView`: a run with an image of its own. */
  view: View;
  imageView: View;
  /** Directories that no run may see, whatever is listed. */
  unseen: readonly string[];
  proxy: () => Promise<ModelProxy>;
  log: Log;
  workerId: string;
  mirrors: string;
  runs: string;
  snapshots: string;
  github(access: { token: string; apiUrl: string }): Promise<Github>;
}

export type Followup = Extract<Signal, { type: 'followup' }>;

/** One execution of one run. What is said about it goes out by its outlet: masked. */
export interface RunContext extends Outlet {
  worker: WorkerContext;
  lease: Lease;
  dir: string;
  file: RunFile;
  /** Image that its own programs are in, once it is here; undefined for the worker's own machine. */
  image: string | undefined;
  /** Its way to the hosts that its environment lists, while it is open. */
  egress: Door | undefined;
  /** Aborted by cancel, loss of the lease, a limit or the worker's end; the reason is a RunlinkError. */
  stop: AbortController;
  /** Aborted when nothing may be told to the service any more. */
  lost: AbortController;
  /** Id of the cancel that stopped this execution; 0 for none. */
  cancelSignal: number;
  /** What the model used so far, earlier executions included. */
  usage: RequestUsage | undefined;
  /** Follow-ups that came while this execution works, oldest first. */
  followups: Followup[];
  /** Stops the turn that the agent is in, while it is in one. */
  stopTurn: (() => void) | undefined;
  /** Id of the latest interrupt that stopped a turn, or came too late for it. */
  interruptedBy: number;
  /** Taken over from a worker process that was killed. */
  adopted: boolean;
}

/** Where something lies that its agent sees. */
const sharedOf = ({ worker, dir }: RunContext, name: string): string =>
  join(worker.sandbox.runDirectory ?? dir, name);
export const workspaceOf = (run: RunContext): string => sharedOf(run, 'workspace');
export const homeOf = (run: RunContext): string => sharedOf(run, 'home');
export const artifactsOf = (run: RunContext): string => sharedOf(run, 'artifacts');
export const temporaryOf = (run: RunContext): string => sharedOf(run, 'tmp');
/** Files that it is given to read. */
export const givenOf = (run: RunContext): string => sharedOf(run, GIVEN);

/** Where a sandbox shows a run its directory. */
const SEEN_AS = '/agent';

/**
 * Where a run's own programs see something that lies in its directory. The path is the same in every run, so
 * that paths which set-up commands wrote down hold in a run that is given their snapshot.
 */
export function seenAt({ worker, dir }: RunContext, path: string): string {
  return worker.sandbox.name === 'direct' ? path : path.replace(dir, SEEN_AS);
}

/** Variables of the worker's own git on the way to a remote; the marker lets a successor find it. */
export function remoteGitVariables(run: RunContext): Record<string, string> {
  return { ...run.worker.proxyEnv, [MARKER_VARIABLE]: run.file.process_marker };
}

/** A container has none of its own, and what may reach listed hosts only does so through the worker. */
export function networkOf({ lease, worker }: RunContext): Network {
  const isOwn = worker.sandbox.name !== 'container' && lease.environment?.network === undefined;
  return isOwn ? (worker.options.network ?? 'full') : 'none';
}

/** Where the agent works, as it sees it: the one clone, or the directory that holds them all. */
export function workingDirectory(run: RunContext): string {
  const [only, ...others] = workTreesOf(run);
  return seenAt(run, only !== undefined && others.length === 0 ? only : workspaceOf(run));
}

/** Where the clones of the run's repositories are. */
export function workTreesOf(run: RunContext): string[] {
  const { environment } = run.lease;
  return (environment?.repositories ?? []).map((repository) => cloneDirectory(run, repository));
}

/** Where the clone of a repository is: by its name, with its owner's where two have the same. */
export function cloneDirectory(run: RunContext, { owner, name }: LeaseRepository): string {
  const all = run.lease.environment?.repositories ?? [];
  const alone = all.filter((each) => each.name === name).length < 2;
  const plain = assertName(name);
  return join(workspaceOf(run), alone ? plain : `${assertName(owner)}__${plain}`);
}

/** The clones of what the run's environment names now. */
export function clonesOf(run: RunContext): RunClone[] {
  const places = workTreesOf(run);
  return run.file.clones.filter(({ workTree }) => places.includes(workTree));
}

/** Writes down what has changed, so that a restarted worker knows it. */
export async function remember(
  run: RunContext,
  change: { [K in keyof RunFile]?: RunFile[K] | undefined },
): Promise<void> {
  Object.assign(run.file, change);
  await writeRunFile(run.dir, run.file);
}

/** A step of the set-up or of publishing, in the log with its times and, when it fails, its reason. */
export async function logStep<T>(
  run: RunContext,
  step: string,
  title: string,
  work: () => Promise<T>,
): Promise<T> {
  const started_at = new Date().toISOString();
  const entry = { type: 'setup', step, title, started_at } as const;
  try {
    const result = await work();
    await run.events.emit([{ ...entry, finished_at: new Date().toISOString() }]);
    return result;
  } catch (error) {
    if (!run.stop.signal.aborted) {
      const output = error instanceof Error ? error.message : String(error);
      const finished_at = new Date().toISOString();
      await run.events.emit([{ ...entry, finished_at, is_error: true, output }]);
    }
    throw error;
  }
}

/** Says in the run's log what its reader should know. */
export async function warn(run: RunContext, text: string): Promise<void> {
  await run.events.emit([{ type: 'notice', level: 'warn', text }]);
}
