import { join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import type { Lease, Signal } from '../../contract/lease.ts';
import { deliver } from '../lease/deliver.ts';
import { newRunFile, readRunFile } from '../lease/run-file.ts';
import { openOutlet } from '../log/outlet.ts';
import { mcpSecrets } from './agent/mcp-servers.ts';
import { remember, type RunContext, type WorkerContext } from './run-context.ts';

/** An execution to work on. `nextSeq` is 1 for a new log, or where a killed worker left off. */
export interface Opening {
  lease: Lease;
  nextSeq: number;
  adopted: boolean;
}

/** Opens an execution: its files, its log, its heartbeat. */
export async function openRun(worker: WorkerContext, opening: Opening): Promise<RunContext> {
  const { lease, adopted } = opening;
  const dir = join(worker.runs, directoryName(lease.run_id));
  const file = (await readRunFile(dir)) ?? newRunFile(lease.run_id);
  const lost = new AbortController();
  const delivery = {
    client: worker.client,
    runId: lease.run_id,
    token: lease.token,
    lost: lost.signal,
  };
  const run: RunContext = {
    ...openOutlet({
      secrets: secretsOf(worker, lease),
      firstSeq: opening.nextSeq,
      send: (events) => deliver(delivery, events),
      log: worker.log.child({ run: lease.run_id, attempt: lease.attempt }),
    }),
    worker,
    lease,
    dir,
    file,
    image: worker.sandbox.defaultImage,
    egress: undefined,
    stop: new AbortController(),
    lost,
    followups: [],
    stopTurn: undefined,
    interruptedBy: 0,
    cancelSignal: 0,
    usage: lease.used,
    adopted,
  };
  const handled = adopted ? file.handled_signal : 0;
  await remember(run, {
    lease: { token: lease.token, attempt: lease.attempt },
    handled_signal: handled,
    used_at: new Date().toISOString(),
  });
  worker.heartbeats.hold({
    runId: lease.run_id,
    token: lease.token,
    afterSignal: handled,
    onSignals: (signals) => takeSignals(run, signals),
    onLost: (reason) => loseLease(run, reason),
  });
  return run;
}

/** The values that are masked wherever the run's output goes. */
function secretsOf({ options }: WorkerContext, lease: Lease): string[] {
  return [
    options.apiKey,
    lease.token,
    lease.run_key,
    lease.git?.token ?? options.gitToken ?? '',
    ...Object.values(lease.environment?.variables ?? {}),
    ...mcpSecrets(lease.config),
  ];
}

/** Checks a run id from the service before it becomes a directory name. */
function directoryName(runId: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(runId)) return runId;
  throw new RunlinkError('bad_lease', 'The service sent a run id that is no plain name.');
}

export function takeSignals(run: RunContext, signals: readonly Signal[]): void {
  for (const signal of signals) {
    if (signal.type === 'cancel') {
      run.cancelSignal = signal.id;
      run.stop.abort(new RunlinkError('run_cancelled', 'The run was cancelled.'));
    } else if (!run.followups.some(({ id }) => id === signal.id)) {
      run.followups.push(signal);
      if (signal.interrupt) run.stopTurn?.();
    }
  }
}

/** Stops everything at once, because another worker may have the run already. */
export function loseLease(run: RunContext, reason: string): void {
  const error = new RunlinkError('lease_lost', `The lease is lost: ${reason}.`);
  run.stop.abort(error);
  run.lost.abort(error);
}
