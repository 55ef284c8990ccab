/**
 * A key from a variable: PEM text, with `
 * ` written out for line ends, or all of it as base64.
 */
export function pemText(given: string): string {
  const decoded = Buffer.from(given, 'base64').toString('utf8');
  return (isPem(decoded) ? decoded : given).replaceAll(String.raw`\n`, '\n');
}

export function isPem(text: string): boolean {
  return text.includes('-----BEGIN');
}
