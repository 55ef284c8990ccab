const NEWLINE = 0x0a;

/** Reads a stream of bytes by lines and by counts; reads no more of it than it is asked for. */
export class ByteReader {
  readonly #refuse: (fault: string) => never;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** How many bytes of the last `bytes` call are not read yet. */
  #unread = 0;

  /** `refuse` throws what is wrong with the stream: it ends too early, or a line is too long. */
  constructor(stream: AsyncIterable<Buffer>, refuse: (fault: string) => never) {
    this.#refuse = refuse;
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns the text up to the next newline. */
  async line(maxBytes: number): Promise<string> {
    await this.#skipUnread();
    for (;;) {
      const end = this.#rest.subarray(0, maxBytes + 1).indexOf(NEWLINE);
      if (end !== -1) return this.#take(end + 1).toString('utf8', 0, end);
      if (this.#rest.length > maxBytes) this.#refuse('a line is too long');
      await this.#more();
    }
  }

  /**
   * Yields exactly this many bytes, in pieces. If they are not all taken, the next read skips the
   * rest.
   */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    await this.#skipUnread();
    this.#unread = count;
    while (this.#unread > 0) yield await this.#piece();
  }

  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.bytes(count)) pieces.push(piece);
    return Buffer.concat(pieces);
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
    if (next.done) return this.#refuse('it ends too early');
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}
