import { createLogUpdate } from 'log-update';
import wrapAnsi from 'wrap-ansi';

const ERASE_LINE = '\u001B[2K';
const UP = '\u001B[1A';

const rowsOf = (text: string, width: number): number =>
  wrapAnsi(text, width, { trim: false, hard: true, wordWrap: false }).split('\n').length;

/** Lines that are drawn over by the next ones, and lines that stay above them. */
export interface DrawnOver {
  draw: (text: string) => void;
  keep: (text: string) => void;
  close: () => void;
}

/**
 * Draws over what it drew last, also after the terminal was made narrower: that breaks lines which stand
 * there already, so that they take more rows than were drawn.
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
