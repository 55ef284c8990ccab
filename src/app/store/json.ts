/**
 * JSON that PostgreSQL takes: a text of somebody else's may hold what `jsonb` has no place for, NUL and
 * halves of characters, and must not hold up everything that is stored with it.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replaceAll('\0', '').toWellFormed() : part,
  );
}
