import type { z } from 'zod';
import { ProblemError } from '../../contract/problem.ts';

function describe(issue: z.core.$ZodIssue): { field: string; detail: string } {
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...issue.path, ...unknownKey].map(String).join('.') || 'body';
  return { field, detail: `${field}: ${issue.message}` };
}

/** Parses what came in by its schema; the problem names the first field at fault. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  throw new ProblemError('invalid_request', first ? describe(first) : {});
}
