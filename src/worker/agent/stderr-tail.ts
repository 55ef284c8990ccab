import type { Readable } from 'node:stream';

const TAIL_CHARS = 4000;

/** The end of what an agent wrote to stderr: where it says why it failed, if it says it at all. */
export class StderrTail {
  #tail = '';

  constructor(stream: Readable) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      this.#tail = (this.#tail + chunk).slice(-TAIL_CHARS);
    });
    stream.on('error', () => undefined);
  }

  /** `message` with these last words, where there are any. */
  explain(message: string): string {
    const words = this.#tail.trim();
    return words === '' ? message : `${message}\n${words}`;
  }
}
