import { errorMessage } from '../../base/error.ts';
import { LEASE_SECONDS } from '../../contract/lease.ts';
import type { ServiceContext } from '../context.ts';
import { sweepLeases } from './sweep-leases.ts';
import { sweepQueue } from './sweep-queue.ts';

const EVERY_MS = 1000;

/** Runs until stopped: takes lapsed leases back and fails runs that waited too long. */
export interface Sweeper {
  stop(): Promise<void>;
}

export interface SweeperOptions {
  /**
   * No lease is taken back for this long after the start, because workers could not renew while the
   * service was down.
   */
  graceMs?: number;
}

export function startSweeper(context: ServiceContext, options: SweeperOptions = {}): Sweeper {
  const grace = options.graceMs ?? LEASE_SECONDS * 1000;
  let graceDeadline = Date.now() + grace;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function round(): Promise<void> {
    try {
      await sweepQueue(context);
      if (Date.now() >= graceDeadline) await sweepLeases(context);
    } catch (error) {
      graceDeadline = Date.now() + grace;
      context.log.warn({ reason: errorMessage(error) }, 'sweeping failed');
    }
  }

  let running: Promise<void> = Promise.resolve();
  async function turn(): Promise<void> {
    await round();
    schedule();
  }
  function schedule(): void {
    if (!stopped) timer = setTimeout(() => void (running = turn()), EVERY_MS);
  }
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
