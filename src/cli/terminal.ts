import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Text in a style where the stream shows colours (NO_COLOR, FORCE_COLOR), plain text elsewhere. */
export function paint(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return styleText(style, text, { stream, validateStream: true });
}

const ESCAPES = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`, 'g');

/** Text from elsewhere without control characters, so that it cannot steer the terminal. */
export function plain(text: string): string {
  return text.replaceAll(ESCAPES, '');
}
