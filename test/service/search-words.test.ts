import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idIn, slips, wordsOf } from '../../src/service/runs/list/search-words.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 2, maxLength: 12 });

describe('the words of a search', () => {
  it.each([
    ['Speed up the login worker', ['speed', 'login', 'worker']],
    ['the fix', ['the', 'fix']],
    ['a ui', ['a', 'ui']],
    ['  Flaky   TEST ', ['flaky', 'test']],
  ])('of "%s" are the longer ones', (q, words) => {
    expect(wordsOf(q).words).toEqual(words.map((each) => [each]));
  });

  it('are at most eight', () => {
    expect(wordsOf('word '.repeat(100)).words).toHaveLength(8);
  });

  it('may be a run’s id, alone or at the end of an address', () => {
    const id = '0198f1c6-0000-7000-8000-000000000001';
    expect([idIn(id), idIn(`https://x.test/runs/${id}/?`), idIn('login')]).toEqual([
      id,
      id,
      undefined,
    ]);
  });
});

describe('slips between two words', () => {
  it.each([
    ['search', 'search', 0],
    ['serch', 'search', 1],
    ['loggin', 'login', 1],
    ['lagin', 'login', 1],
    ['migratoin', 'migration', 1],
    ['', 'abc', 3],
  ])('%s and %s: %i', (a, b, expected) => {
    expect(slips(a, b)).toBe(expected);
  });

  it('are none only between equal words, the same both ways, and never more than the longer has letters', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(slips(a, b) === 0).toBe(a === b);
        expect(slips(a, b)).toBe(slips(b, a));
        expect(slips(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
      { seed: 3 },
    );
  });

  it('are one for any one letter more, less, wrong or swapped', () => {
    fc.assert(
      fc.property(word, fc.nat(), (text, place) => {
        const at = place % (text.length - 1);
        const [before, letter = '', next = '', after] = [
          text.slice(0, at),
          text[at],
          text[at + 1],
          text.slice(at + 2),
        ];
        expect(slips(text, `${before}${next}${after}`)).toBe(1);
        expect(slips(text, `${before}z${letter}${next}${after}`)).toBe(1);
        expect(slips(text, `${before}z${next}${after}`)).toBe(1);
        expect(slips(text, `${before}${next}${letter}${after}`)).toBe(letter === next ? 0 : 1);
      }),
      { seed: 3 },
    );
  });
});
