import type { Readable } from 'node:stream';

/** Longest line that is kept whole; of a longer one only both ends are kept. */
export const LINE_MAX_BYTES = 8 * 1024 * 1024;
/** How much of each end of a longer line is kept. */
export const LINE_END_BYTES = 60 * 1024;

export interface Line {
  text: string;
  /** Bytes left out of the middle; 0 if the line is whole. */
  cutBytes: number;
}

const NEWLINE = 0x0a;

/** A line that is being read: all of it while it is short, later only its two ends. */
class LineBuffer {
  #parts: Buffer[] = [];
  #size = 0;
  #head: Buffer | undefined;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size <= this.#max) return;
    const held = this.#parts.reduce((sum, each) => sum + each.length, 0);
    if (held > 4 * LINE_END_BYTES) this.#compact();
  }

  take(): Line {
    const rest = Buffer.concat(this.#parts);
    const line = this.#head
      ? this.#joinEnds(this.#head, rest.subarray(-LINE_END_BYTES))
      : { text: rest.toString('utf8'), cutBytes: 0 };
    this.#parts = [];
    this.#size = 0;
    this.#head = undefined;
    return line;
  }

  get empty(): boolean {
    return this.#size === 0;
  }

  #compact(): void {
    const all = Buffer.concat(this.#parts);
    this.#head ??= Buffer.from(all.subarray(0, LINE_END_BYTES));
    this.#parts = [Buffer.from(all.subarray(-LINE_END_BYTES))];
  }

  #joinEnds(head: Buffer, tail: Buffer): Line {
    const cutBytes = this.#size - head.length - tail.length;
    const text = `${head.toString('utf8')}\n… ${cutBytes} bytes left out …\n${tail.toString('utf8')}`;
    return { text, cutBytes };
  }
}

/**
 * Yields the lines of a stream one at a time. It reads only when asked for the next, so a slow
 * reader slows the writer down. Memory stays bounded however long a line is.
 */
export async function* readLines(
  stream: Readable,
  maxBytes: number = LINE_MAX_BYTES,
): AsyncGenerator<Line> {
  const buffer = new LineBuffer(maxBytes);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      buffer.add(chunk.subarray(start, end));
      yield buffer.take();
      start = end + 1;
    }
    if (start < chunk.length) buffer.add(chunk.subarray(start));
  }
  if (!buffer.empty) yield buffer.take();
}
