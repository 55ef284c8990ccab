import { createMasker, type Masker, type StreamMasker } from './mask.ts';

/** How much of each end is kept of one message or one command's output; the middle is left out. */
export const TEXT_END_CHARS = 512 * 1024;

/**
 * One growing text of the log, such as a command's output: masked, and without its middle if it is
 * too long. The head is sent as it comes, the tail when the text ends.
 */
export class BoundedText {
  readonly #masker: StreamMasker;
  readonly #endChars: number;
  #passed = 0;
  #left = 0;
  #tail: string[] = [];
  #tailChars = 0;

  constructor(masker: Masker = createMasker([]), endChars: number = TEXT_END_CHARS) {
    this.#masker = masker.stream();
    this.#endChars = endChars;
  }

  /** Adds a piece; returns what may be sent now. */
  push(piece: string): string {
    return this.#bound(this.#masker.push(piece));
  }

  /** Ends the text; returns what is still to be sent. */
  end(): string {
    const head = this.#bound(this.#masker.flush());
    const rest = this.#tail.join('');
    const kept = wellFormedTail(rest, this.#endChars);
    const omitted = this.#left + rest.length - kept.length;
    this.#tail = [];
    this.#tailChars = 0;
    this.#left = 0;
    const note = omitted > 0 ? `\n… ${omitted} characters left out …\n` : '';
    return head + note + kept;
  }

  #bound(text: string): string {
    const room = Math.max(0, this.#endChars - this.#passed);
    const cut = splitPoint(text, room);
    this.#passed += text.length > room ? room : text.length;
    if (cut < text.length) this.#keep(text.slice(cut));
    return text.slice(0, cut);
  }

  #keep(text: string): void {
    this.#tail.push(text);
    this.#tailChars += text.length;
    if (this.#tailChars <= 2 * this.#endChars) return;
    const kept = wellFormedTail(this.#tail.join(''), this.#endChars);
    this.#left += this.#tailChars - kept.length;
    this.#tail = [kept];
    this.#tailChars = kept.length;
  }
}

/** An index of at most `at` that does not split a surrogate pair. */
export function splitPoint(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

function wellFormedTail(text: string, length: number): string {
  if (text.length <= length) return text;
  const unit = text.charCodeAt(text.length - length);
  return text.slice(text.length - length + (unit >= 0xdc00 && unit <= 0xdfff ? 1 : 0));
}

/** `text`; its middle is left out if it is longer than `max` UTF-16 units. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = Math.floor((max - 64) / 2);
  const head = text.slice(0, splitPoint(text, end));
  const tail = wellFormedTail(text, end);
  return `${head}\n… ${text.length - head.length - tail.length} characters left out …\n${tail}`;
}

/** Makes text acceptable to the contract: without NUL and lone surrogates. */
export function storable(text: string): string {
  const plain = text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
  return plain.toWellFormed();
}
