import type { Readable } from 'node:stream';

const TAIL_CHARS = 4000;

/** Keeps the end of what an agent wrote to stderr: if it says why it failed, it says it there. */
export class StderrTail {
  #tail = '';

  constructor(stream: Readable) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      this.#tail = (this.#tail + chunk).slice(-TAIL_CHARS);
    });
    stream.on('error', () => undefined);
  }

  /** Appends these last lines to `message`, if there are any. */
  explain(message: string): string {
    const words = this.#tail.trim();
    return words === '' ? message : `${message}\n${words}`;
  }
}
