import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Text in a style where the stream shows colours, plain text elsewhere. */
export function paint(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return styleText(style, text, { stream, validateStream: true });
}

const ESCAPES = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`, 'g');

/** Text from elsewhere without control characters, so that it cannot steer the terminal. */
export function plain(text: string): string {
  return text.replaceAll(ESCAPES, '');
}

/** Rows as aligned columns; the header is dimmed. */
export function table(
  stream: NodeJS.WriteStream,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const clean = rows.map((row) => row.map(plain));
  const widths = header.map((name, column) =>
    Math.max(name.length, ...clean.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [paint(stream, 'dim', line(header)), ...clean.map(line)].join('\n');
}

/** One JSON document on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);
}
