/**
 * Takes each step, one after the other, also when one before it failed: whatever stayed open would keep the
 * process from ending. Throws what failed first.
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
