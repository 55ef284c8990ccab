import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor, type Cursor } from '../../src/service/runs/list/cursor.ts';

const SECRET = 'secret of the service';
const cursors: fc.Arbitrary<Cursor> = fc.record({
  sortBy: fc.constantFrom('updated_at', 'created_at', 'title', 'agent'),
  sortOrder: fc.constantFrom('asc', 'desc'),
  value: fc.option(fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())),
  id: fc.uuid(),
});
const refused = expect.objectContaining({ code: 'invalid_request' });

function read(text: string, sort: Pick<Cursor, 'sortBy' | 'sortOrder'>, secret = SECRET): unknown {
  try {
    return readCursor(secret, text, sort);
  } catch (error) {
    return error;
  }
}

describe('a cursor (interface.md 4.2, threats.md S10)', () => {
  it('is read back as it was written', () => {
    const same = fc.property(cursors, (cursor) => {
      expect(read(writeCursor(SECRET, cursor), cursor)).toEqual(cursor);
    });
    expect(fc.check(same)).toMatchObject({ failed: false });
  });

  it('is refused with one character changed, added or taken away', () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom('', 'A', '_', 'AA', '='));
    const tampered = fc.property(cursors, change, (cursor, [at, by]) => {
      const text = writeCursor(SECRET, cursor);
      const place = at % text.length;
      const wrong = text.slice(0, place) + by + text.slice(place + 1);
      fc.pre(wrong !== text);
      expect(read(wrong, cursor)).toEqual(refused);
    });
    expect(fc.check(tampered, { numRuns: 500 })).toMatchObject({ failed: false });
  });

  it('is refused with another sort, from another service, and when made up', () => {
    const foreign = fc.property(cursors, fc.string(), (cursor, text) => {
      const { sortBy, sortOrder } = cursor;
      const written = writeCursor(SECRET, cursor);
      expect(read(written, { sortBy: `${sortBy}2`, sortOrder })).toEqual(refused);
      expect(read(written, { sortBy, sortOrder: `${sortOrder}2` })).toEqual(refused);
      expect(read(written, cursor, 'another')).toEqual(refused);
      expect(read(text, cursor)).toEqual(refused);
    });
    expect(fc.check(foreign)).toMatchObject({ failed: false });
  });
});
