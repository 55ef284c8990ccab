import { styleText } from 'node:util';
import { createSupportsHyperlinks } from 'supports-hyperlinks';
import { webUrl } from '../../pages/text.ts';
import { showsUnicode } from './letters.ts';
import { clean } from './text.ts';

export type Style = Parameters<typeof styleText>[0];

/** What an output stream can show. */
export interface Screen {
  stream: NodeJS.WriteStream;
  /**
   * A terminal that people look at; anything else is a pipe, which gets exact and complete values.
   */
  isTerminal: boolean;
  /**
   * Whether lines can be redrawn: a terminal with a known width that is neither dumb nor a CI log.
   */
  canRedraw: boolean;
  /** Current width in columns; infinite for a pipe. */
  readonly width: number;
  signs: Signs;
  hasLinks: boolean;
}

const UNICODE = {
  ok: '✓',
  bad: '✗',
  ask: '?',
  stop: '⊘',
  wait: '○',
  work: '●',
  note: '·',
  bar: '│',
  /** Ends a line that was cut. */
  cut: '…',
  cursor: '▏',
};
type Signs = Record<keyof typeof UNICODE, string> & Record<'spinner' | 'bars', readonly string[]>;
const SIGNS: Record<'unicode' | 'ascii', Signs> = {
  unicode: { ...UNICODE, spinner: Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'), bars: Array.from('▁▂▃▄▅▆▇█') },
  ascii: {
    ok: '+',
    bad: 'x',
    ask: '?',
    stop: '-',
    wait: '.',
    work: '*',
    note: '-',
    bar: '|',
    cut: '...',
    cursor: '|',
    spinner: Array.from('-\\|/'),
    bars: Array.from('_.:-=+*#'),
  },
};
const PLAIN_WIDTH = 80;

export function screenOf(stream: NodeJS.WriteStream): Screen {
  const { TERM, CI } = process.env;
  const isTerminal = stream.isTTY;
  const isDumb = TERM === 'dumb';
  return {
    stream,
    isTerminal,
    canRedraw: isTerminal && !isDumb && !CI && stream.columns > 0,
    get width() {
      return isTerminal ? stream.columns || PLAIN_WIDTH : Infinity;
    },
    signs: SIGNS[showsUnicode(stream) ? 'unicode' : 'ascii'],
    hasLinks: isTerminal && !isDumb && createSupportsHyperlinks(stream),
  };
}

/** Styles text if the stream shows colours (NO_COLOR, FORCE_COLOR). */
export function paint({ stream }: Pick<Screen, 'stream'>, style: Style, text: string): string {
  return styleText(style, text, { stream, validateStream: true });
}

/**
 * Links text to a web address if the terminal supports links (OSC 8). Other kinds of address are
 * never written.
 */
export function link({ hasLinks }: Screen, text: string, url: string | undefined | null): string {
  const address = webUrl(clean(url ?? ''));
  return hasLinks && address ? `\u001B]8;;${address}\u001B\\${text}\u001B]8;;\u001B\\` : text;
}
