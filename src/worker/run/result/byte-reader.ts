import { refuseResult } from './refuse.ts';

const NEWLINE = 0x0a;

/** A stream of bytes, read by lines and by counts; what is not asked for is not read. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** Of the bytes that were asked for last, how many nobody has read. */
  #unread = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Up to the next newline, without it. */
  async line(maxBytes: number): Promise<string> {
    await this.#skipUnread();
    for (;;) {
      const end = this.#rest.subarray(0, maxBytes + 1).indexOf(NEWLINE);
      if (end !== -1) return this.#take(end + 1).toString('utf8', 0, end);
      if (this.#rest.length > maxBytes) refuseResult('a line is too long');
      await this.#more();
    }
  }

  /** Exactly so many bytes, in pieces. What is left of them is passed over by whoever reads next. */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    await this.#skipUnread();
    this.#unread = count;
    while (this.#unread > 0) yield await this.#piece();
  }

  async #skipUnread(): Promise<void> {
    while (this.#unread > 0) await this.#piece();
  }

  async #piece(): Promise<Buffer> {
    if (this.#rest.length === 0) await this.#more();
    const piece = this.#take(Math.min(this.#unread, this.#rest.length));
    this.#unread -= piece.length;
    return piece;
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done) refuseResult('it ends too early');
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}
