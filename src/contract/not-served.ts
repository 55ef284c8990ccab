import { z } from 'zod';

/** Marks the issue of an input that is well-formed but asks for something we do not have. */
export const NOT_SERVED = { notServed: true };

/** Whether a value asks for nothing: it is off, empty, or made of such values. */
export function isOff(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isOff);
  return value === undefined || value === null || value === false || value === '';
}

/**
 * An input of the interface that this service does not carry out. It is refused with 422 and the
 * reason, unless it asks for nothing or for what holds anyway (interface.md 7.3).
 */
export function notServed<S extends z.ZodType>(
  schema: S,
  reason: string,
  holds: (value: z.output<S>) => boolean = isOff,
): S {
  return schema
    .refine((value) => value === undefined || value === null || holds(value), {
      error: `is not served here: ${reason}`,
      params: NOT_SERVED,
    })
    .meta({ description: `Not served: ${reason}.` });
}

/** An input that does not exist here at all, so that its shape is unknown. */
export const unknownHere = (reason: string) =>
  notServed(z.unknown().optional(), reason)
    .transform(() => undefined)
    .optional();
