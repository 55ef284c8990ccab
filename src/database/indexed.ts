import { hash } from 'node:crypto';

/**
 * UTF-8 takes at most three bytes per UTF-16 unit, and PostgreSQL's indexes take 2,704 bytes with
 * everything else.
 */
const INDEXED_MAX = 800;

/** A text that fits into an indexed column: a long one is replaced by its hash. */
export function indexed(text: string): string {
  return text.length <= INDEXED_MAX ? text : `sha256:${hash('sha256', text)}`;
}
