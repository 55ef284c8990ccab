/**
 * JSON that PostgreSQL accepts. Text from others may hold what `jsonb` refuses, such as NUL and
 * lone surrogates, and must not block everything that is stored with it.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replaceAll('\0', '').toWellFormed() : part,
  );
}
