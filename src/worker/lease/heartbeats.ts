import { Worker } from 'node:worker_threads';
import type { Log } from '../../base/log.ts';
import type { Signal } from '../../contract/lease.ts';
import type { FromThread, HeartbeatData, ToThread } from './heartbeat-messages.ts';

/** An idle worker gives the thread's memory back after this. */
const IDLE_MS = 60_000;

export interface LeaseHold {
  runId: string;
  token: string;
  afterSignal: number;
  onSignals(signals: Signal[]): void;
  onLost(reason: string): void;
}

/** The leases this worker holds, kept alive by one thread. */
export class Heartbeats {
  private readonly data: HeartbeatData;
  private readonly log: Log;
  private readonly holds = new Map<string, LeaseHold>();
  private thread: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(data: HeartbeatData, log: Log) {
    this.data = data;
    this.log = log;
  }

  hold(hold: LeaseHold): void {
    clearTimeout(this.idle);
    this.holds.set(hold.runId, hold);
    this.send(hold);
  }

  drop(runId: string): void {
    if (!this.holds.delete(runId)) return;
    this.post({ type: 'drop', runId });
    if (this.holds.size > 0) return;
    this.idle = setTimeout(() => void this.stop(), IDLE_MS);
    this.idle.unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }

  private send({ runId, token, afterSignal }: LeaseHold): void {
    this.post({ type: 'hold', runId, token, afterSignal });
  }

  private post(message: ToThread): void {
    if (!this.thread && message.type === 'drop') return;
    this.thread ??= this.start();
    this.thread.postMessage(message);
  }

  private start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? 'heartbeat-thread.ts' : 'heartbeat-thread.js';
    const thread = new Worker(new URL(`./${file}`, import.meta.url), { workerData: this.data });
    thread.on('message', (message: FromThread) => this.receive(message));
    thread.on('error', (error) => this.log.error({ err: error }, 'heartbeat thread failed'));
    thread.on('exit', () => {
      if (this.thread !== thread) return;
      this.thread = undefined;
      for (const hold of this.holds.values()) this.send(hold);
    });
    return thread;
  }

  private receive(message: FromThread): void {
    const hold = this.holds.get(message.runId);
    if (!hold) return;
    if (message.type === 'lost') {
      this.holds.delete(message.runId);
      hold.onLost(message.reason);
      return;
    }
    hold.afterSignal = Math.max(hold.afterSignal, ...message.signals.map(({ id }) => id));
    hold.onSignals(message.signals);
  }
}
