import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Lines that arrive within this time were pasted together. */
const PASTE_MS = 40;

export interface Typing {
  /** The line as it stands, with a mark at the cursor. */
  line(): string;
  /** Hands over what was entered and still waits for more to be pasted. */
  flush(): void;
  /** Answers what was typed and not entered. */
  close(): string;
}

/**
 * Lets a person type while the screen is drawn by somebody else: Node edits the line (cursor,
 * history, words), and prints nothing.
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
    // Ctrl-C has its own event, and is no answer to the question that it raises.
    if (!key?.ctrl && on.key(key?.name ?? '')) reader.write(null, { ctrl: true, name: 'u' });
    on.change();
  };
  process.stdin.on('keypress', onKey);
  return {
    line: () => `${reader.line.slice(0, reader.cursor)}▏${reader.line.slice(reader.cursor)}`,
    flush,
    close() {
      process.stdin.off('keypress', onKey);
      reader.close();
      return reader.line.trim();
    },
  };
}
