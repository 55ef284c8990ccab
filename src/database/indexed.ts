import { hash } from 'node:crypto';

/** Three bytes each, with what stands beside it: PostgreSQL's indexes take 2,704. */
const INDEXED_MAX = 800;

/** A text as a column with an index can hold it: in place of a long one its hash. */
export function indexed(text: string): string {
  return text.length <= INDEXED_MAX ? text : `sha256:${hash('sha256', text)}`;
}
