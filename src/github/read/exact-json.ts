/**
 * Parses JSON and keeps whole numbers that JavaScript would round, such as ids of 19 digits, as
 * text.
 */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) => {
    const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return isRounded && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
  });
}
