/** Replaces a secret in text. */
export const MASK = '***';
/**
 * Shorter values (`true`, `1`, `main`) are not treated as secrets, because that would blank
 * ordinary words.
 */
export const SECRET_MIN_LENGTH = 6;

/** Replaces secrets in text, even if one arrives in pieces. */
export interface Masker {
  /** Masks a complete text. */
  mask(text: string): string;
  /**
   * A masker for text that comes in pieces. It holds back the end of a piece if a secret may begin
   * there.
   */
  stream(): StreamMasker;
  /**
   * Returns a function that is given bytes piece by piece and tells whether they contain a secret
   * known so far, or one of `others`.
   */
  finder(others: readonly string[]): (piece: Buffer) => boolean;
  /** Masks this value too, from now on. */
  add(secret: string): void;
}

export interface StreamMasker {
  push(piece: string): string;
  /** Returns what was held back. */
  flush(): string;
}

/**
 * A masker for these values. Each is also masked in its JSON, URL and base64 forms, and each of its
 * lines by itself, because a diff or a log may show it like that. Values shorter than
 * `SECRET_MIN_LENGTH` are ignored.
 */
export function createMasker(secrets: Iterable<string>): Masker {
  let values: string[] = [];
  const add = (secret: string): void => {
    if (secret.length < SECRET_MIN_LENGTH) return;
    const lines = secret.split('\n').map((line) => line.trim());
    const parts = [secret, ...lines.filter((line) => line.length >= SECRET_MIN_LENGTH)];
    const all = new Set([...values, ...parts.flatMap(variants)]);
    values = [...all].toSorted((a, b) => b.length - a.length);
  };
  for (const secret of secrets) add(secret);
  const mask = (text: string): string =>
    values.reduce((result, value) => result.replaceAll(value, MASK), text);

  const stream = (): StreamMasker => {
    let held = '';
    return {
      push(piece) {
        const text = mask(held + piece);
        const open = values.reduce((most, value) => Math.max(most, openPrefix(text, value)), 0);
        held = text.slice(text.length - open);
        return text.slice(0, text.length - open);
      },
      flush() {
        const rest = held;
        held = '';
        return rest;
      },
    };
  };
  const finder = (others: readonly string[]): ((piece: Buffer) => boolean) => {
    const all = [...values, ...others];
    const wanted = [...new Set([...all, ...all.flatMap(inBase64)])]
      .filter((value) => value.length >= SECRET_MIN_LENGTH)
      .map((value) => Buffer.from(value));
    const longest = Math.max(1, ...wanted.map(({ length }) => length));
    let held = Buffer.alloc(0);
    return (piece) => {
      const bytes = Buffer.concat([held, piece]);
      held = Buffer.from(bytes.subarray(Math.max(0, bytes.length - longest + 1)));
      return wanted.some((value) => bytes.includes(value));
    };
  };
  return { mask, stream, finder, add };
}

function variants(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
}

/**
 * The base64 of a secret at each offset within longer text, without the characters that also depend
 * on its neighbours.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

/** Length of the longest end of `text` that is an incomplete beginning of `secret`. */
function openPrefix(text: string, secret: string): number {
  const first = secret.charAt(0);
  let from = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (from !== -1) {
    if (secret.startsWith(text.slice(from))) return text.length - from;
    from = text.indexOf(first, from + 1);
  }
  return 0;
}
