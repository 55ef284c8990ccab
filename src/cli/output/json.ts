import { wrongUse } from '../exit-code.ts';

/** The fields of `--json=FIELDS`; an empty list means all. */
export type JsonFields = readonly string[];

export function readFields(text: string): JsonFields {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

// Characters that could control a terminal or hide text; JSON can escape them by number.
const STEERING = /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;

/** Escapes everything in a JSON text that could control a terminal; its meaning stays the same. */
export function harmlessJson(json: string): string {
  return json.replaceAll(STEERING, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Picks these fields of a value, or of each value of a list; a missing field becomes null. */
function pick(value: unknown, fields: JsonFields): unknown {
  if (fields.length === 0) return value;
  if (Array.isArray(value)) return value.map((each) => pick(each, fields));
  if (!isRecord(value)) return value;
  return Object.fromEntries(fields.map((name) => [name, value[name] ?? null]));
}

/** Throws if values of this kind never have one of the fields. */
export function checkFields(fields: JsonFields, known: readonly string[]): void {
  const wrong = fields.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  const hint = known.length > 0 ? `Fields: ${known.join(', ')}.` : 'What is printed has no fields.';
  throw wrongUse(`There is no field "${wrong}".`, hint);
}

/** Prints one JSON document on standard output, indented on a terminal. */
export function printJson(value: unknown, fields: JsonFields = []): void {
  const { isTTY } = process.stdout;
  process.stdout.write(
    `${harmlessJson(JSON.stringify(pick(value, fields), null, isTTY ? 2 : 0))}\n`,
  );
}

/** Prints one line of NDJSON, or nothing if the value has none of the fields. */
export function printJsonLine(value: object, fields: JsonFields = []): void {
  if (fields.length > 0 && !fields.some((name) => name in value)) return;
  process.stdout.write(`${harmlessJson(JSON.stringify(pick(value, fields)))}\n`);
}
