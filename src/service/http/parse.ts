import type { z } from 'zod';
import { IN_MAP } from '../../contract/keyed.ts';
import { NOT_SERVED } from '../../contract/not-served.ts';
import { ProblemError } from '../../contract/problem.ts';

/** The first error in an input, and the field it is in. */
export function describeIssue([issue]: readonly z.core.$ZodIssue[]): {
  field: string;
  detail: string;
} {
  if (!issue) return { field: 'body', detail: 'is invalid' };
  const [ofKey] = issue.code === 'invalid_key' ? issue.issues : [];
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...issue.path, ...unknownKey].map(String).join('.') || 'body';
  return { field, detail: `${field}: ${ofKey?.message ?? issue.message}` };
}

/**
 * Parses input by its schema; the problem names the first bad field. A null that the schema does
 * not allow counts as absent and is removed from `value` (interface.md 7.3).
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

/** Removes the field at this path if it is null; returns whether it was. */
function leaveOutNull(value: unknown, path: readonly PropertyKey[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== 'object' || value === null) return false;
  const field: unknown = Reflect.get(value, key);
  if (rest.length > 0) return leaveOutNull(field, rest);
  return field === null && !Array.isArray(value) && Reflect.deleteProperty(value, key);
}
