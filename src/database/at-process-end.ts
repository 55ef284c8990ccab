/**
 * Runs `act` when this process ends in whatever way leaves it a last word: told to exit, by an error
 * that nobody caught, or simply done. Nothing asynchronous can happen then. Answers how to
 * take it back.
 */
export function atProcessEnd(act: () => void): () => void {
  process.once('exit', act);
  return () => void process.off('exit', act);
}

/** Asks a process to end; one that is gone is no error. */
export function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // Gone already, which is what was wanted.
  }
}
