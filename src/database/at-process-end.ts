/**
 * Runs `act` when this process exits by itself: by an exit call, an uncaught error, or with
 * nothing left to do. `act` cannot do anything asynchronous. Returns a function that undoes this.
 */
export function atProcessEnd(act: () => void): () => void {
  process.once('exit', act);
  return () => void process.off('exit', act);
}

/** Asks a process to end. Does nothing if it is gone already. */
export function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // Gone already.
  }
}
