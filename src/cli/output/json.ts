import { wrongUse } from '../exit-code.ts';

/** Fields asked for with `--json=FIELDS`; none named means all. */
export type JsonFields = readonly string[];

export function readFields(text: string): JsonFields {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

// What a terminal could take for a command or hide behind; JSON says the same by its number.
const STEERING = /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;

/** JSON text without anything that a terminal could take for a command; it means the same. */
export function harmlessJson(json: string): string {
  return json.replaceAll(STEERING, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Those fields of a value or of each value of a list; a field that it lacks is null. */
function pick(value: unknown, fields: JsonFields): unknown {
  if (fields.length === 0) return value;
  if (Array.isArray(value)) return value.map((each) => pick(each, fields));
  if (!isRecord(value)) return value;
  return Object.fromEntries(fields.map((name) => [name, value[name] ?? null]));
}

/** Refuses a field that values of this kind never have. */
export function checkFields(fields: JsonFields, known: readonly string[] | undefined): void {
  const wrong = fields.find((name) => known && !known.includes(name));
  if (wrong === undefined) return;
  throw wrongUse(`There is no field "${wrong}".`, `Fields: ${known?.join(', ')}.`);
}

/** One JSON document on standard output; indented for people. */
export function printJson(value: unknown, fields: JsonFields = []): void {
  const { isTTY } = process.stdout;
  process.stdout.write(
    `${harmlessJson(JSON.stringify(pick(value, fields), null, isTTY ? 2 : 0))}\n`,
  );
}

/** One line of NDJSON; none where the value has no field that was asked for. */
export function printJsonLine(value: object, fields: JsonFields = []): void {
  if (fields.length > 0 && !fields.some((name) => name in value)) return;
  process.stdout.write(`${harmlessJson(JSON.stringify(pick(value, fields)))}\n`);
}
