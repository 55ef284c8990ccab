import { RunlinkError, errorMessage } from '../base/error.ts';
import { repeat, type Repeated } from '../base/repeat.ts';
import { backoffMs } from '../base/retry.ts';
import { sleep } from '../base/time.ts';
import { isProblem } from '../client/error.ts';
import { WAIT_MAX_SECONDS } from '../contract/endpoint.ts';
import type { ClaimRequest, Lease } from '../contract/lease.ts';
import type { TerminalState } from '../contract/run-state.ts';
import { discoverSkills } from './discover-skills.ts';
import { executeRun } from './run/execute-run.ts';
import { keepHouse, packMirrors, removeRemains } from './housekeeping.ts';
import { isLeaseLost, untilAnswered } from './lease/deliver.ts';
import type { WorkerTally } from './metrics.ts';
import { listRunFiles, writeRunFile, type RunFile } from './lease/run-file.ts';
import type { Opening } from './run/open-run.ts';
import { returnMemory } from './return-memory.ts';
import type { RunContext, WorkerContext } from './run/run-context.ts';

const BACKOFF = { firstMs: 500, longestMs: 5000 };
/** A service that is away for longer has given the lease up long ago. */
const ADOPT_WITHIN_MS = 10 * 60_000;
const HOUSEKEEPING_MS = 10 * 60_000;
/**
 * A worker whose places are all taken makes no claims, so without this the service would think it
 * is gone.
 */
const PRESENCE_MS = 20_000;
/**
 * Pause after a run that could not even be opened, because of a full disk for instance: another
 * worker may be able to.
 */
const PAUSE_MS = 10_000;

/** The main loop of a worker: claims runs while it has free places, and carries them out. */
export class RunWorker implements WorkerTally {
  readonly #context: WorkerContext;
  readonly capacity: number;
  readonly ended = new Map<TerminalState, number>();
  claimFailures = 0;
  readonly #harnesses: string[];
  readonly #active = new Map<string, Promise<void>>();
  readonly #runs = new Set<RunContext>();
  readonly #claiming = new AbortController();
  readonly #stopping = new AbortController();
  /** Settles when the worker claims no more runs; rejects if the service refuses it for good. */
  over: Promise<void> = Promise.resolve();
  #duties: Repeated[] = [];
  #tookOne = false;
  #paused = false;
  #freed: (() => void) | undefined;

  constructor(context: WorkerContext, capacity: number, harnesses: string[]) {
    this.#context = context;
    this.capacity = capacity;
    this.#harnesses = harnesses;
  }

  /** Continues what a killed predecessor left behind, and begins to claim. */
  async start(): Promise<void> {
    await this.#context.sandbox.endAll();
    await removeRemains(this.#context);
    const found = await listRunFiles(this.#context.runs);
    const adopted = found.flatMap(({ dir, file }) =>
      file.lease ? [this.#track(file.run_id, () => this.#adopt(dir, file))] : [],
    );
    const { once, waitMs } = this.#context.options;
    this.over = once ? this.#takeOne(adopted, waitMs) : this.#claimAll();
    this.over.catch((error: unknown) => {
      this.#context.log.error({ err: errorMessage(error) }, 'the worker has stopped claiming runs');
      this.#claiming.abort(error);
      void this.#endDuties();
    });
    // A worker that only takes certain runs reads no skills for the service.
    const { workerHost, onlyEnvironment } = this.#context.options;
    const isForAll = workerHost === undefined && onlyEnvironment === undefined && !once;
    const discovering = isForAll ? [discoverSkills(this.#context)] : [];
    this.#duties = [...discovering, this.#keepHouse(), this.#staySeen()];
  }

  async #endDuties(): Promise<void> {
    await Promise.all(this.#duties.map((duty) => duty.stop()));
  }

  /**
   * For a worker of one run: how that run ended, or `left` if it did not; undefined if there was no
   * run.
   */
  get verdict(): TerminalState | 'left' | undefined {
    const [state] = this.ended.keys();
    return state ?? (this.#tookOne ? 'left' : undefined);
  }

  get activeRuns(): number {
    return this.#active.size;
  }

  /**
   * Claims no more runs and waits at most `graceMs` for those under way. After that they are left
   * for a restarted worker, or ended if this worker was for one run only. Resolves when no process
   * of a run is left.
   */
  async drain(graceMs: number): Promise<void> {
    this.#claiming.abort(new RunlinkError('worker_stopping', 'The worker is stopping.'));
    await this.#endDuties();
    if (!this.#context.options.once) await this.over.catch(() => undefined);
    const all = Promise.all(this.#active.values());
    await Promise.race([all, sleep(graceMs, this.#stopping.signal).catch(() => undefined)]);
    this.#stopping.abort();
    for (const run of this.#runs) run.stop.abort(this.#stopReason());
    await Promise.all(this.#active.values());
    await this.#context.sandbox.images?.endAll();
    this.#context.heartbeats.stop();
  }

  #stopReason(): RunlinkError {
    return this.#context.options.once
      ? new RunlinkError('worker_ended', 'The worker was told to end before the run had ended.', {
          hint: 'Start the run again.',
        })
      : new RunlinkError('worker_stopping', 'The worker is stopping.');
  }

  async #claimAll(): Promise<void> {
    const { signal } = this.#claiming;
    while (!signal.aborted) {
      await this.#untilFree(signal).catch(() => undefined);
      const lease = await this.#nextLease(signal);
      if (lease) void this.#begin(lease);
    }
  }

  /**
   * Takes one run: one that a killed predecessor left behind, otherwise the next one, if it comes
   * within `waitMs`.
   */
  async #takeOne(adopted: readonly Promise<void>[], waitMs?: number): Promise<void> {
    await Promise.all(adopted);
    if (this.ended.size > 0) return;
    const within = waitMs === undefined ? [] : [AbortSignal.timeout(waitMs)];
    const lease = await this.#nextLease(AbortSignal.any([this.#claiming.signal, ...within]));
    if (!lease) return;
    this.#tookOne = true;
    await this.#begin(lease);
  }

  /**
   * Asks until there is a run; undefined once `signal` is aborted. Throws if asking again cannot
   * help.
   */
  async #nextLease(signal: AbortSignal): Promise<Lease | undefined> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (this.#paused) await sleep(PAUSE_MS, signal);
        this.#paused = false;
        const lease = await this.#claim(signal);
        failures = 0;
        if (lease) return lease;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (isRefusal(error)) throw error;
        failures += 1;
        this.claimFailures += 1;
        this.#context.log[failures === 5 ? 'error' : 'debug'](
          { err: errorMessage(error), failures },
          'no run could be claimed',
        );
        await sleep(backoffMs(failures, BACKOFF), signal).catch(() => undefined);
      }
    }
    return undefined;
  }

  #keepHouse(): Repeated {
    return repeat({
      step: async (stopping) => {
        await this.#tidy();
        await packMirrors(this.#context, stopping);
        if (this.#context.options.alone && this.#active.size === 0) returnMemory();
      },
      everyMs: HOUSEKEEPING_MS,
      onError: () => {},
    });
  }

  async #tidy(): Promise<void> {
    await keepHouse(this.#context, (runId) => this.#active.has(runId)).catch((error: unknown) => {
      this.#context.log.warn({ err: errorMessage(error) }, 'workspaces could not be tidied');
    });
  }

  /** Reports regularly that a worker without free places is alive. */
  #staySeen(): Repeated {
    return repeat({
      step: async (stopping) => {
        if (this.#active.size < this.capacity) return;
        await this.#context.client.worker.claim(this.#ask(0), { retry: false, signal: stopping });
      },
      everyMs: this.#context.options.presenceMs ?? PRESENCE_MS,
      startsLater: true,
      onError: () => {},
    });
  }

  #ask(capacity: number): ClaimRequest {
    const { workerId: worker_id, sandbox, options } = this.#context;
    const { workerHost, onlyEnvironment, version } = options;
    return {
      worker_id,
      capacity,
      slots: this.capacity,
      harnesses: this.#harnesses,
      sandbox: sandbox.name,
      ...(workerHost === undefined ? {} : { worker_host: workerHost }),
      ...(onlyEnvironment === undefined ? {} : { environment: onlyEnvironment }),
      ...(version === undefined ? {} : { version }),
    };
  }

  async #claim(signal: AbortSignal): Promise<Lease | undefined> {
    const { client } = this.#context;
    const started = performance.now();
    const answer = await client.worker.claim(this.#ask(this.capacity - this.#active.size), {
      waitSeconds: WAIT_MAX_SECONDS,
      retry: false,
      signal,
    });
    // If the service answers at once instead of holding the request, do not ask again without a
    // pause.
    if (!answer.lease && performance.now() - started < 1000) await sleep(1000, signal);
    return answer.lease ?? undefined;
  }

  #begin(lease: Lease): Promise<void> {
    const before = this.#active.get(lease.run_id) ?? Promise.resolve();
    return this.#track(lease.run_id, async () => {
      await before;
      await this.#execute({ lease, nextSeq: 1, adopted: false }).catch((error: unknown) =>
        this.#giveBack(lease, error),
      );
    });
  }

  async #giveBack(lease: Lease, error: unknown): Promise<void> {
    this.#paused = true;
    const reason = errorMessage(error).slice(0, 1024);
    const { client, log } = this.#context;
    log.error({ run: lease.run_id, err: reason }, 'run could not be opened');
    await client.worker.release(lease.run_id, { reason }, { lease: lease.token });
    // Most likely the disk is full.
    await this.#tidy();
  }

  async #execute(opening: Opening): Promise<void> {
    let mine: RunContext | undefined;
    const ended = await executeRun(this.#context, opening, (run) => {
      mine = run;
      this.#runs.add(run);
      if (this.#stopping.signal.aborted) run.stop.abort(this.#stopReason());
    });
    if (mine) this.#runs.delete(mine);
    if (ended) this.ended.set(ended, (this.ended.get(ended) ?? 0) + 1);
  }

  /** Continues a run of a worker process that was killed, if its lease is still valid. */
  async #adopt(dir: string, file: RunFile): Promise<void> {
    const { client, log, sandbox } = this.#context;
    await sandbox.endRun(file.process_marker);
    const token = file.lease?.token ?? '';
    const lost = AbortSignal.any([AbortSignal.timeout(ADOPT_WITHIN_MS), this.#claiming.signal]);
    try {
      const answer = await untilAnswered(lost, () =>
        client.worker.lease(file.run_id, { lease: token, signal: lost }),
      );
      log.info({ run: file.run_id }, 'run taken up again');
      await this.#execute({ lease: answer.lease, nextSeq: answer.next_seq, adopted: true });
    } catch (error) {
      if (this.#claiming.signal.aborted && !isLeaseLost(error)) return;
      log.info(
        { run: file.run_id, err: errorMessage(error) },
        'the run has ended or belongs to another worker',
      );
      const { lease: _, ...rest } = file;
      await writeRunFile(dir, rest);
    }
  }

  #track(runId: string, work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((error: unknown) => {
        this.#context.log.error({ run: runId, err: errorMessage(error) }, 'run failed');
      })
      .finally(() => {
        if (this.#active.get(runId) === done) this.#active.delete(runId);
        this.#freed?.();
      });
    this.#active.set(runId, done);
    return done;
  }

  async #untilFree(signal: AbortSignal): Promise<void> {
    while (this.#active.size >= this.capacity) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#freed = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}

/**
 * Whether the service would refuse again, because the key may not claim or it does not know a name.
 */
function isRefusal(error: unknown): boolean {
  return isProblem(error) && [400, 401, 403, 404, 422].includes(error.status);
}
