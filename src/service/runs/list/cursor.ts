import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { invalidField } from '../../../contract/problem.ts';

const MAC_BYTES = 16;

const content = z.tuple([z.string(), z.string(), z.string().nullable(), z.string()]);

/** Where a page ended: its sort order, and the last run's sort value and id. */
export interface Cursor {
  sortBy: string;
  sortOrder: string;
  /** Null if the run has no value in the sorted column. */
  value: string | null;
  id: string;
}

/** An opaque, signed text that only this service can make. */
export function writeCursor(secret: string, cursor: Cursor): string {
  const { sortBy, sortOrder, value, id } = cursor;
  const payload = Buffer.from(JSON.stringify([sortBy, sortOrder, value, id]));
  return Buffer.concat([mac(secret, payload), payload]).toString('base64url');
}

function refuse(detail: string): never {
  throw invalidField('cursor', detail);
}

/**
 * Parses a cursor. Throws 400 if it is not ours or belongs to another sort order (threats.md S10).
 */
export function readCursor(
  secret: string,
  text: string,
  sort: Pick<Cursor, 'sortBy' | 'sortOrder'>,
): Cursor {
  const bytes = Buffer.from(text, 'base64url');
  const payload = bytes.subarray(MAC_BYTES);
  const given = bytes.subarray(0, MAC_BYTES);
  const isOurs =
    given.length === MAC_BYTES &&
    bytes.toString('base64url') === text &&
    timingSafeEqual(given, mac(secret, payload));
  if (!isOurs) refuse('is not one that this service gave');
  const [sortBy, sortOrder, value, id] = content.parse(JSON.parse(payload.toString()));
  if (sortBy !== sort.sortBy || sortOrder !== sort.sortOrder)
    refuse('belongs to another sort_by or sort_order');
  return { sortBy, sortOrder, value, id };
}

/** The part of a page that refers to the next one. */
export function pageInfoOf(next: string | undefined): {
  has_next_page: boolean;
  next_cursor?: string;
} {
  return next === undefined ? { has_next_page: false } : { has_next_page: true, next_cursor: next };
}

function mac(secret: string, payload: Buffer): Buffer {
  return createHmac('sha256', secret).update(payload).digest().subarray(0, MAC_BYTES);
}
