/**
 * Runs every step in order, even if an earlier one failed: anything left open would keep the
 * process alive. Throws the first failure.
 */
export async function closeInTurn(...steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
