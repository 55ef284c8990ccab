import { parentPort } from 'node:worker_threads';
import type { FromThread } from './timed-thread.ts';

/** The thread's side of a `TimedThread`: answers the questions of each job in order. */
export function serveJobs(answer: (ask: never) => unknown): void {
  const say = (message: FromThread<unknown>): void => parentPort?.postMessage(message);
  parentPort?.on('message', (asks: never[]) => {
    for (const ask of asks) say({ answer: answer(ask) });
  });
  say({ ready: true });
}
