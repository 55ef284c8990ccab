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

/** What all runs of a worker have in common. */
export interface WorkerContext {
  options: WorkerOptions;
  limits: RunLimits;
  keep: Keep;
  /** Proxy variables for outgoing requests; empty if proxies are not to be used. */
  proxyEnv: ProxyVariables;
  /** Sends requests to the service, with any key. */
  request: HttpRequest;
  client: Client;
  heartbeats: Heartbeats;
  sandbox: Sandbox;
  /** Why only the demo agent may run here; undefined if all may. */
  refusal: NoIsolation | undefined;
  /** What every run sees of this machine. `imageView` is for a run with an image of its own. */
  view: View;
  imageView: View;
  /** Directories that no run may see, whatever is on the list. */
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

/** One execution of one run. It extends the outlet, so whatever is said about it is masked. */
export interface RunContext extends Outlet {
  worker: WorkerContext;
  lease: Lease;
  dir: string;
  file: RunFile;
  /**
   * Image for the run's own programs, once it is here; undefined if they use the worker's machine.
   */
  image: string | undefined;
  /** The run's access to the hosts that its environment lists, while that is open. */
  egress: Door | undefined;
  /**
   * Aborted by cancel, loss of the lease, a limit or the worker's stop; the reason is a
   * RunlinkError.
   */
  stop: AbortController;
  /** Aborted when nothing may be sent to the service any more. */
  lost: AbortController;
  /** Id of the cancel that stopped this execution; 0 for none. */
  cancelSignal: number;
  /** What the model used so far, earlier executions included. */
  usage: RequestUsage | undefined;
  /** Follow-ups that arrived during this execution, oldest first. */
  followups: Followup[];
  /** Stops the agent's current turn, if there is one. */
  stopTurn: (() => void) | undefined;
  /** Id of the newest interrupt that has been dealt with: it stopped a turn, or came too late. */
  interruptedBy: number;
  /** Whether it was taken over from a worker process that was killed. */
  adopted: boolean;
}

/** Path of something that the agent sees, too. */
const sharedOf = ({ worker, dir }: RunContext, name: string): string =>
  join(worker.sandbox.runDirectory ?? dir, name);
export const workspaceOf = (run: RunContext): string => sharedOf(run, 'workspace');
export const homeOf = (run: RunContext): string => sharedOf(run, 'home');
export const artifactsOf = (run: RunContext): string => sharedOf(run, 'artifacts');
export const temporaryOf = (run: RunContext): string => sharedOf(run, 'tmp');
/** Directory of the files that the agent is given to read. */
export const givenOf = (run: RunContext): string => sharedOf(run, GIVEN);

/** Where a sandbox shows the run's directory. */
const SEEN_AS = '/agent';

/**
 * The path at which a run's own programs see something in its directory. It is the same in every
 * run, so that paths written down by set-up commands are still right in a run that gets their
 * snapshot.
 */
export function seenAt({ worker, dir }: RunContext, path: string): string {
  return worker.sandbox.name === 'direct' ? path : path.replace(dir, SEEN_AS);
}

/**
 * Variables for the worker's own git when it talks to a remote; by the marker a later worker finds
 * the process.
 */
export function remoteGitVariables(run: RunContext): Record<string, string> {
  return { ...run.worker.proxyEnv, [MARKER_VARIABLE]: run.file.process_marker };
}

/**
 * The run's network. Containers have none of their own, and a run with a list of hosts reaches them
 * only through the worker.
 */
export function networkOf({ lease, worker }: RunContext): Network {
  const isOwn = worker.sandbox.name !== 'container' && lease.environment?.network === undefined;
  return isOwn ? (worker.options.network ?? 'full') : 'none';
}

/**
 * The agent's working directory as it sees it: the one clone, or the directory with all of them.
 */
export function workingDirectory(run: RunContext): string {
  const [only, ...others] = workTreesOf(run);
  return seenAt(run, only !== undefined && others.length === 0 ? only : workspaceOf(run));
}

/** The directories of the run's clones. */
export function workTreesOf(run: RunContext): string[] {
  const { environment } = run.lease;
  return (environment?.repositories ?? []).map((repository) => cloneDirectory(run, repository));
}

/**
 * Directory of a repository's clone: its name, with the owner's in front if two repositories have
 * the same name.
 */
export function cloneDirectory(run: RunContext, { owner, name }: LeaseRepository): string {
  const all = run.lease.environment?.repositories ?? [];
  const alone = all.filter((each) => each.name === name).length < 2;
  const plain = assertName(name);
  return join(workspaceOf(run), alone ? plain : `${assertName(owner)}__${plain}`);
}

/** The clones of the repositories that the environment names now. */
export function clonesOf(run: RunContext): RunClone[] {
  const places = workTreesOf(run);
  return run.file.clones.filter(({ workTree }) => places.includes(workTree));
}

/** Stores a change in the run's file, so that a restarted worker knows it. */
export async function remember(
  run: RunContext,
  change: { [K in keyof RunFile]?: RunFile[K] | undefined },
): Promise<void> {
  Object.assign(run.file, change);
  await writeRunFile(run.dir, run.file);
}

/**
 * Logs a step of preparing or publishing, with its times and, if it fails, the reason. While it is
 * under way, `tell` logs it with another title.
 */
export async function logStep<T>(
  run: RunContext,
  step: string,
  title: string,
  work: (tell: (title: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const started_at = new Date().toISOString();
  const entry = { type: 'setup', step, title, started_at } as const;
  let isTold = false;
  try {
    const result = await work((now) => {
      isTold = true;
      return run.events.emit([{ ...entry, title: now }]);
    });
    await run.events.emit([{ ...entry, finished_at: new Date().toISOString() }]);
    return result;
  } catch (error) {
    // What was said to be under way is said to have ended.
    if (!run.stop.signal.aborted || isTold) {
      const output = error instanceof Error ? error.message : String(error);
      const finished_at = new Date().toISOString();
      await run.events.emit([{ ...entry, finished_at, is_error: true, output }]);
    }
    throw error;
  }
}

/** Puts a warning into the run's log. */
export async function warn(run: RunContext, text: string): Promise<void> {
  await run.events.emit([{ type: 'notice', level: 'warn', text }]);
}
