import isUnicodeSupported from 'is-unicode-supported';

/** What our own words have beyond ASCII, and how it is written without. */
const IN_ASCII: Readonly<Record<string, string>> = {
  '…': '...',
  '·': '-',
  '’': "'",
  '→': '->',
  '👀': 'eyes',
};

/**
 * Whether a stream shows more than ASCII: not on a dumb terminal, nor where the locale (POSIX:
 * LC_ALL, LC_CTYPE, LANG) names another character set. Where none is set most terminals do.
 */
export function showsUnicode(stream: NodeJS.WriteStream): boolean {
  const { TERM, LC_ALL, LC_CTYPE, LANG } = process.env;
  const locale = LC_ALL || LC_CTYPE || LANG || 'UTF-8';
  const isNamed = process.platform === 'win32' || /utf-?8/i.test(locale);
  return isUnicodeSupported() && isNamed && !(stream.isTTY && TERM === 'dumb');
}

/** Words of ours, as the stream can show them. */
export function spelled(stream: NodeJS.WriteStream, text: string): string {
  if (showsUnicode(stream)) return text;
  return text.replaceAll(/[…·’→]|👀/gu, (letter) => IN_ASCII[letter] ?? letter);
}
