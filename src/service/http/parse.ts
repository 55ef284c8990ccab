import type { z } from 'zod';
import { IN_MAP } from '../../contract/keyed.ts';
import { NOT_SERVED } from '../../contract/not-served.ts';
import { ProblemError } from '../../contract/problem.ts';

/** The first thing that is wrong with an input, and where. */
export function describeIssue([issue]: readonly z.core.$ZodIssue[]): {
  field: string;
  detail: string;
} {
  if (!issue) return { field: 'body', detail: 'is not as it should be' };
  const [ofKey] = issue.code === 'invalid_key' ? issue.issues : [];
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...issue.path, ...unknownKey].map(String).join('.') || 'body';
  return { field, detail: `${field}: ${ofKey?.message ?? issue.message}` };
}

/**
 * Parses what came in by its schema; the problem names the first field at fault. Where the schema has
 * no null, it is left out of `value` (interface.md 7.3).
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  if (issues.filter((issue) => !isInMap(issue) && leaveOutNull(value, issue.path)).length > 0)
    return parseInput(schema, value);
  const wrong = issues.filter((issue) => !asksForMore(issue));
  if (wrong.length > 0) throw new ProblemError('invalid_request', describeIssue(wrong));
  throw new ProblemError('operation_not_supported', describeIssue(issues));
}

function isInMap(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params === IN_MAP;
}

function asksForMore(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params === NOT_SERVED;
}

/** Removes what stands at a path where it is the null of an object's field; whether it was. */
function leaveOutNull(value: unknown, path: readonly PropertyKey[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== 'object' || value === null) return false;
  const field: unknown = Reflect.get(value, key);
  if (rest.length > 0) return leaveOutNull(field, rest);
  return field === null && !Array.isArray(value) && Reflect.deleteProperty(value, key);
}
