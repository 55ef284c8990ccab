import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Lines that arrive within this time count as one paste. */
const PASTE_MS = 40;

export interface Typing {
  /** The current line with a mark at the cursor. */
  line(cursor: string): string;
  /** Submits what was entered, without waiting for more of a paste. */
  flush(): void;
  /** Stops, and returns what was typed but not entered. */
  close(): string;
}

/**
 * Lets a person type while something else draws the screen. Node edits the line (cursor, history,
 * words) but prints nothing.
 */
export function readTyping(on: {
  message: (text: string) => void;
  key: (name: string) => boolean;
  interrupt: () => void;
  change: () => void;
}): Typing {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  let pasted: string[] = [];
  const flush = (): void => {
    const text = pasted.join('\n').trim();
    pasted = [];
    if (text !== '') on.message(text);
  };
  reader.on('line', (line) => {
    pasted.push(line);
    if (pasted.length === 1) setTimeout(flush, PASTE_MS);
  });
  reader.on('SIGINT', on.interrupt);
  const onKey = (_text: string, key: { name?: string; ctrl?: boolean } | undefined): void => {
    // Ctrl-C has its own event; it must not count as the answer to the question that it raises.
    if (!key?.ctrl && on.key(key?.name ?? '')) reader.write(null, { ctrl: true, name: 'u' });
    on.change();
  };
  process.stdin.on('keypress', onKey);
  return {
    line: (cursor) =>
      reader.line.slice(0, reader.cursor) + cursor + reader.line.slice(reader.cursor),
    flush,
    close() {
      process.stdin.off('keypress', onKey);
      reader.close();
      return reader.line.trim();
    },
  };
}
