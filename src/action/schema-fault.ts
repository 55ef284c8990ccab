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

/** As much of JSON Schema's own schema as keeps a slip of the pen from letting everything through. */
const schema: z.ZodType = z.preprocess(
  (value) => (typeof value === 'boolean' ? {} : value),
  z.looseObject(
    Object.fromEntries(
      KEYWORDS.flatMap(([type, names]) => names.map((name) => [name, type.optional()])),
    ),
  ),
);

/** Where a value is no JSON Schema, and what was expected there; undefined where it is one. */
export function schemaFault(value: unknown): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (!issue) return undefined;
  const expected =
    issue.code === 'invalid_union' ? `expected one of ${TYPES.join(', ')}` : issue.message;
  return `at ${['#', ...issue.path.map(String)].join('/')}: ${expected}`;
}
