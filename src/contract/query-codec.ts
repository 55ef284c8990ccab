import { z } from 'zod';

type Shape = z.ZodObject['shape'];
const BRACKETED = /^[^[\]]+\[([^[\]]+)\]$/;

/**
 * Parses a query string by a schema: arrays repeat, maps use brackets (interface.md 6.2). A scalar
 * that is given twice stays an array, so that the schema refuses it. Parameters that the schema
 * does not name are ignored.
 */
export function decodeQuery(schema: z.ZodObject, params: URLSearchParams): Record<string, unknown> {
  const shape: Shape = schema.shape;
  return Object.fromEntries(
    Object.entries(shape)
      .map(([name, field]) => [name, decodeField(name, core(field), params)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

type Scalar = string | number | boolean;
export type QueryValue = Scalar | readonly Scalar[] | Record<string, Scalar> | null | undefined;

/** Writes a query in the form that `decodeQuery` reads. */
export function encodeQuery(query: Record<string, QueryValue>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const item of value) params.append(name, String(item));
    else if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value))
        params.append(`${name}[${key}]`, String(item));
    } else params.append(name, String(value));
  }
  return params;
}

/** The schema of a field without the wrappers that make it optional. */
function core(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? core(schema.unwrap())
    : schema;
}

/**
 * Converts a value to its declared type; what does not fit stays text, for the schema to refuse.
 */
function coerce(schema: z.core.$ZodType, value: string): unknown {
  if (schema instanceof z.ZodNumber) return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (schema instanceof z.ZodBoolean)
    return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

/**
 * `state[0]=…` is not accepted: it becomes an object, which the schema refuses, so that no filter
 * is ignored.
 */
function decodeField(name: string, schema: z.core.$ZodType, params: URLSearchParams): unknown {
  if (schema instanceof z.ZodRecord) return decodeMap(name, params);
  if ([...params.keys()].some((key) => key.startsWith(`${name}[`) && key !== `${name}[]`))
    return {};
  const values = [...params.getAll(name), ...params.getAll(`${name}[]`)];
  if (values.length === 0) return undefined;
  if (schema instanceof z.ZodArray)
    return values.map((value) => coerce(core(schema.element), value));
  const [only, ...more] = values;
  return only === undefined || more.length > 0 ? values : coerce(schema, only);
}

/** A map's pairs. Anything else under the map's name stays text, for the schema to refuse. */
function decodeMap(name: string, params: URLSearchParams): unknown {
  const map: Record<string, unknown> = Object.create(null);
  for (const [key, value] of params) {
    if (key !== name && !key.startsWith(`${name}[`)) continue;
    const member = BRACKETED.exec(key)?.[1];
    if (member === undefined) return value;
    map[member] = member in map ? [map[member], value].flat() : value;
  }
  return Object.keys(map).length > 0 ? { ...map } : undefined;
}
