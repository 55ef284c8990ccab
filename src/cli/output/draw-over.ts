import { createLogUpdate } from 'log-update';
import wrapAnsi from 'wrap-ansi';

const ERASE_LINE = '\u001B[2K';
const UP = '\u001B[1A';

const rowsOf = (text: string, width: number): number =>
  wrapAnsi(text, width, { trim: false, hard: true, wordWrap: false }).split('\n').length;

/** Draws lines that the next ones replace, below lines that stay. */
export interface DrawnOver {
  draw: (text: string) => void;
  keep: (text: string) => void;
  close: () => void;
}

/**
 * Redraws its last lines in place. A narrower terminal wraps lines that are already there, so the
 * rows to erase are counted anew.
 */
export function drawOver(stream: NodeJS.WriteStream): DrawnOver {
  const update = createLogUpdate(stream, { showCursor: true });
  let drawn = '';
  let width = stream.columns;
  const eraseBroken = (): void => {
    const rows = rowsOf(drawn, stream.columns) - rowsOf(drawn, width);
    if (rows > 0) stream.write((ERASE_LINE + UP).repeat(rows));
    width = stream.columns;
  };
  return {
    draw(text) {
      eraseBroken();
      drawn = text;
      update(text);
    },
    keep(text) {
      eraseBroken();
      update.persist(text);
      drawn = '';
    },
    close() {
      eraseBroken();
      update.clear();
      update.done();
    },
  };
}
