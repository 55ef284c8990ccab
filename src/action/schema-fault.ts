import { z } from 'zod';

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const KEYWORDS: [z.ZodType, readonly string[]][] = [
  [z.string(), ['$ref', '$id', '$anchor', 'pattern', 'format']],
  [z.number(), ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
  [z.int(), ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']],
  [z.array(z.string()), ['required']],
  [z.array(z.unknown()), ['enum']],
  [z.union([z.enum(TYPES), z.array(z.enum(TYPES))]), ['type']],
  [z.lazy(() => schema), ['items', 'contains', 'additionalProperties', 'unevaluatedProperties']],
  [z.lazy(() => schema), ['unevaluatedItems', 'propertyNames', 'not', 'if', 'then', 'else']],
  [z.lazy(() => z.array(schema)), ['allOf', 'anyOf', 'oneOf', 'prefixItems']],
  [
    z.lazy(() => z.record(z.string(), schema)),
    ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  ],
];

/** The part of JSON Schema's own schema that catches a slip which would let everything through. */
const schema: z.ZodType = z.preprocess(
  (value) => (typeof value === 'boolean' ? {} : value),
  z.looseObject(
    Object.fromEntries(
      KEYWORDS.flatMap(([type, names]) => names.map((name) => [name, type.optional()])),
    ),
  ),
);

/**
 * Where a value is not a valid JSON Schema and what was expected there; undefined if it is valid.
 */
export function schemaFault(value: unknown): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (!issue) return undefined;
  const expected =
    issue.code === 'invalid_union' ? `expected one of ${TYPES.join(', ')}` : issue.message;
  return `at ${['#', ...issue.path.map(String)].join('/')}: ${expected}`;
}
