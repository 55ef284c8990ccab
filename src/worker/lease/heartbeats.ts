import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import type { Signal } from '../../contract/lease.ts';
import type { Connection, HeartbeatMessage, ToThread } from './heartbeat-messages.ts';

/** After this long without a lease the thread is ended, which frees its memory. */
const IDLE_MS = 60_000;

export interface LeaseHold {
  runId: string;
  token: string;
  afterSignal: number;
  onSignals(signals: Signal[]): void;
  onLost(reason: string): void;
}

/** Keeps the leases of a worker alive. All workers of a process share one thread for it. */
export class Heartbeats {
  readonly #connection: Connection;
  readonly #log: Log;
  readonly #ids = new Map<string, string>();

  constructor(connection: Connection, log: Log) {
    this.#connection = connection;
    this.#log = log;
  }

  hold(hold: LeaseHold): void {
    const id = randomUUID();
    this.#ids.set(hold.runId, id);
    keep(id, { ...hold, connection: this.#connection, log: this.#log });
  }

  drop(runId: string): void {
    const id = this.#ids.get(runId);
    this.#ids.delete(runId);
    if (id !== undefined) letGo(id);
  }

  stop(): void {
    for (const runId of this.#ids.keys()) this.drop(runId);
  }
}

interface Kept extends LeaseHold {
  connection: Connection;
  log: Log;
}

const kept = new Map<string, Kept>();
let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

function keep(id: string, hold: Kept): void {
  clearTimeout(idle);
  kept.set(id, hold);
  sendHold(id, hold);
}

function letGo(id: string): void {
  if (kept.delete(id)) thread?.postMessage({ type: 'drop', id } satisfies ToThread);
  if (kept.size > 0) return;
  clearTimeout(idle);
  idle = setTimeout(() => {
    const ended = thread;
    thread = undefined;
    void ended?.terminate();
  }, IDLE_MS);
  idle.unref();
}

function sendHold(id: string, { connection, runId, token, afterSignal }: Kept): void {
  thread ??= startThread();
  const message: ToThread = { type: 'hold', id, connection, runId, token, afterSignal };
  thread.postMessage(message);
}

function startThread(): Worker {
  const file = import.meta.url.endsWith('.ts') ? 'heartbeat-thread.ts' : 'heartbeat-thread.js';
  const started = new Worker(new URL(`./${file}`, import.meta.url));
  started.on('message', receive);
  started.on('error', (error) => {
    for (const log of new Set(Array.from(kept.values(), (hold) => hold.log)))
      log.error({ err: error }, 'heartbeat thread failed');
  });
  started.on('exit', () => {
    if (thread !== started) return;
    thread = undefined;
    for (const [id, hold] of kept) sendHold(id, hold);
  });
  // The thread alone must not keep the process alive; a listener added later would undo this.
  started.unref();
  return started;
}

function receive(message: HeartbeatMessage): void {
  const hold = kept.get(message.id);
  if (!hold) return;
  if (message.type === 'lost') {
    kept.delete(message.id);
    hold.onLost(message.reason);
    return;
  }
  hold.afterSignal = Math.max(hold.afterSignal, ...message.signals.map(({ id }) => id));
  hold.onSignals(message.signals);
}
