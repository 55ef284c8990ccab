import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/**
 * Processor time that one job may take, in milliseconds. Unlike elapsed time it does not depend on
 * how busy the machine is.
 */
export const JOB_CPU_MS = 1000;
/**
 * Memory that one job may take, in MiB: 64 KB of Markdown need 40, and the worst texts reach their
 * time limit at 150.
 */
const JOB_MEMORY_MB = 192;
/** Jobs that may wait for the thread. */
const WAITING_MAX = 64;
/** After this long without work the thread is ended; it holds some 30 MB. */
const IDLE_MS = 30_000;

/**
 * `slow`: the job exceeded its limits. `busy`: too many jobs were waiting. `failed`: the job broke
 * the thread.
 */
export type GaveUp = 'slow' | 'busy' | 'failed';

export interface ThreadAnswers<Answer> {
  /** Answers to the first questions of the job; to all of them unless it was given up. */
  answers: Answer[];
  gaveUp?: GaveUp;
}

interface Job<Ask, Answer> {
  asks: readonly Ask[];
  answers: Answer[];
  settle(outcome: ThreadAnswers<Answer>): void;
}

/** What the thread sends: that it is ready, or one answer. */
export type FromThread<Answer> = { ready: true } | { answer: Answer };

/**
 * A thread for work whose length strangers decide, such as parsing their Markdown. The event loop
 * stays free, and a job that takes longer than `JOB_CPU_MS` is ended together with the thread
 * (threats.md G15). The first job starts the thread; its file calls `serveJobs`.
 */
export class TimedThread<Ask, Answer> {
  readonly #file: URL;
  #thread: Worker | undefined;
  #current: Job<Ask, Answer> | undefined;
  readonly #waiting: Job<Ask, Answer>[] = [];
  #idle: NodeJS.Timeout | undefined;

  /**
   * `name` of the thread's file, without extension, in the folder of the module whose
   * `import.meta.url` is `base`.
   */
  constructor(name: string, base: string) {
    this.#file = new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base);
  }

  /** Answers the questions of one job in order, after the jobs before it. Never rejects. */
  async run(asks: readonly Ask[]): Promise<ThreadAnswers<Answer>> {
    if (asks.length === 0) return { answers: [] };
    if (this.#waiting.length >= WAITING_MAX) return { answers: [], gaveUp: 'busy' };
    return new Promise((settle) => {
      this.#waiting.push({ asks, answers: [], settle });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    this.#current = this.#waiting.shift();
    clearTimeout(this.#idle);
    if (this.#current) {
      const isNew = this.#thread === undefined;
      this.#thread ??= this.#start();
      this.#thread.ref();
      if (!isNew) this.#begin(this.#thread, this.#current);
      return;
    }
    this.#thread?.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #start(): Worker {
    const thread = new Worker(this.#file, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: JOB_MEMORY_MB },
    });
    const isOurs = (): boolean => this.#thread === thread;
    thread.on('message', (message: FromThread<Answer>) => {
      if (isOurs()) this.#hear(thread, message);
    });
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (!isOurs()) return;
      const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error instanceof RangeError;
      // The message may quote the text.
      if (!isTooMuch) process.emitWarning(`A job of ${this.#file.pathname} broke: ${error.name}`);
      this.#giveUp(isTooMuch ? 'slow' : 'failed');
    });
    return thread;
  }

  #hear(thread: Worker, message: FromThread<Answer>): void {
    const job = this.#current;
    if (!job) return;
    if ('ready' in message) return this.#begin(thread, job);
    job.answers.push(message.answer);
    if (job.answers.length === job.asks.length) this.#settle(job, { answers: job.answers });
  }

  #begin(thread: Worker, job: Job<Ask, Answer>): void {
    thread.postMessage(job.asks);
    void this.#watch(thread, job).catch(() => undefined);
  }

  /** Ends the job, together with the thread, once it has used up its time. */
  async #watch(thread: Worker, job: Job<Ask, Answer>): Promise<void> {
    const before = await cpuMs(thread);
    for (let used = 0; used < JOB_CPU_MS; used = (await cpuMs(thread)) - before) {
      await delay(Math.max(10, JOB_CPU_MS - used), undefined, { ref: false });
      if (this.#current !== job) return;
    }
    if (this.#current === job) this.#giveUp('slow');
  }

  #giveUp(gaveUp: GaveUp): void {
    const job = this.#current;
    this.#end();
    if (job) this.#settle(job, { answers: job.answers, gaveUp });
  }

  #end(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }

  #settle(job: Job<Ask, Answer>, outcome: ThreadAnswers<Answer>): void {
    this.#current = undefined;
    job.settle(outcome);
    this.#next();
  }
}

async function cpuMs(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage();
  return (user + system) / 1000;
}
