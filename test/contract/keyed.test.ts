import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { keyed } from '../../src/contract/keyed.ts';

/** Every schema inside another, itself included. */
function* schemasIn(schema: z.ZodType, seen = new Set<unknown>()): Generator<z.ZodType> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield schema;
  const parts = Object.values({ ...schema.def }).flatMap((part: unknown) => [
    part,
    ...(typeof part === 'object' && part !== null ? Object.values(part) : []),
  ]);
  for (const part of parts) if (part instanceof z.ZodType) yield* schemasIn(part, seen);
}

const inOrder = (value: object): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null
      ? Object.fromEntries(
          Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))),
        )
      : inner,
  );

describe('a map of the interface', () => {
  const key = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', 'toString', '0', ''),
    fc.string(),
  );

  it('keeps every key as it is written', () => {
    const map = keyed(z.string(), z.object({ inner: keyed(z.string(), z.int()) }));
    fc.assert(
      fc.property(fc.array(key), fc.array(key), (outer, inner) => {
        const values = Object.fromEntries(inner.map((name) => [name, 1]));
        const given = Object.fromEntries(outer.map((name) => [name, { inner: values }]));
        const parsed = map.parse(given);
        expect(inOrder(parsed)).toBe(inOrder(given));
        expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
      }),
    );
  });

  it('refuses a value or a key that is wrong, whatever it is called', () => {
    const map = keyed(z.string().max(8), z.int()).refine(() => true);
    for (const [text, path] of [
      ['{"__proto__": 1}', ['__proto__']],
      ['{"a": "b"}', ['a']],
    ] as const) {
      const parsed = map.safeParse(JSON.parse(text));
      expect(parsed.error?.issues.map((issue) => issue.path)).toEqual([path]);
    }
  });

  it('is of this kind in every body and query', () => {
    const lossy = listEndpoints().flatMap(({ id, endpoint: { body, query } }) =>
      [body, query]
        .flatMap((schema) => (schema ? [...schemasIn(schema)] : []))
        .filter((schema) => schema instanceof z.ZodRecord)
        .filter((schema) => {
          const parsed = schema.safeParse(JSON.parse('{"__proto__": "x"}'));
          return parsed.success && !Object.hasOwn(parsed.data, '__proto__');
        })
        .map(() => id),
    );
    expect(lossy).toEqual([]);
  });
});
