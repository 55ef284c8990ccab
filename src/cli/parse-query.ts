import { z } from 'zod';
import { RunlinkError } from '../base/error.ts';

/** Options as the contract's query, or an error that names the option's field. */
export function parseQuery<Q extends z.ZodObject>(
  schema: Q,
  values: Record<string, unknown>,
): z.output<Q> {
  const given = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RunlinkError(
    'invalid_option',
    `${issue?.path.join('.') ?? 'option'}: ${issue?.message ?? 'not valid'}`,
    {
      hint: 'Run the command with --help to see what it takes.',
    },
  );
}
