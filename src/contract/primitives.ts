import { z } from 'zod';
import { keyed } from './keyed.ts';

/** The message for a text that {@link isStorable} refuses. */
export const UNSTORABLE = 'must be well-formed Unicode without NUL';

/** Whether PostgreSQL can store a text at all. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/**
 * Makes each schema once. Schemas never change, and making them is half of this module's load time.
 */
function once(make: (maxLength: number) => z.ZodString): (maxLength: number) => z.ZodString {
  const made = new Map<number, z.ZodString>();
  return (maxLength) => {
    const schema = made.get(maxLength) ?? make(maxLength);
    made.set(maxLength, schema);
    return schema;
  };
}

/** Text of at most `maxLength` UTF-16 units that PostgreSQL can store. */
export const text = once((maxLength) => z.string().max(maxLength).refine(isStorable, UNSTORABLE));

/** Required text: at least one character. */
export const filledText = once((maxLength) =>
  z.string().min(1).max(maxLength).refine(isStorable, UNSTORABLE),
);

/** A name: spaces alone are not one. */
export const nameText = (maxLength: number) =>
  filledText(maxLength).regex(/\S/, 'must not be blank');

/** Times that PostgreSQL can store: it has no year 0 and no offset of 16 hours. */
const STORABLE_TIME = /^(?!0000).{19}(\.\d{1,32})?(Z|[+-](0\d|1[0-5]):\d\d)$/;
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

function isStorableTime(value: string): boolean {
  const at = Date.parse(value);
  return STORABLE_TIME.test(value) && at >= FIRST_TIME && at <= LAST_TIME;
}

/** Reads a leap second as the start of the next second. */
function withoutLeapSecond(time: string): string {
  const [, minute, rest] = /^(.{17})60(\D.*)$/.exec(time) ?? [];
  const last = new Date(`${minute}59${rest}`);
  return Number.isNaN(last.getTime()) ? time : new Date(last.getTime() + 1000).toISOString();
}

/** RFC 3339 with `Z` or an offset, in upper or lower case (interface.md 6.1). */
export const timestamp = z
  .string()
  .overwrite((value) => withoutLeapSecond(value.toUpperCase()))
  .check(z.iso.datetime({ offset: true }))
  .refine(isStorableTime, 'must be a time of the years 1 to 9999 in UTC, offset below 16:00');

/** Exactly 22 characters from [A-Za-z0-9] (interface.md 8). */
export const environmentId = z.string().regex(/^[A-Za-z0-9]{22}$/, 'must be 22 letters or digits');

/** A whole number that fits PostgreSQL's integer. */
export const integer = z.int().max(2_147_483_647);

export const uuid = z.guid();

/** `owner/repo:path` of a skill (interface.md 4.2). */
export const skillSpec = filledText(1024);

/** At most 20 keys of 1–64 `[a-zA-Z0-9._-]`, values of at most 256 bytes (interface.md 2.11). */
export const metadata = keyed(
  z.string().regex(/^[a-zA-Z0-9._-]{1,64}$/, 'keys are 1–64 of a-z A-Z 0-9 . _ -'),
  text(256).refine((value) => Buffer.byteLength(value) <= 256, 'must be at most 256 bytes'),
).refine((value) => Object.keys(value).length <= METADATA_MAX_KEYS, 'must have at most 20 keys');

export const METADATA_MAX_KEYS = 20;
/** Pairs of one `metadata` filter (interface.md 8). */
export const METADATA_MAX_FILTER_PAIRS = 5;

export const userProfile = z.object({
  type: z.enum(['user', 'service_account']).optional(),
  uid: z.string().optional(),
  display_name: z.string().optional(),
  email: z.string().optional(),
  photo_url: z.string().optional(),
});
export type UserProfile = z.infer<typeof userProfile>;

export const scope = z.object({ type: z.enum(['User', 'Team']), uid: z.string().optional() });

export const pageInfo = z.object({
  has_next_page: z.boolean(),
  next_cursor: z.string().optional(),
});

export const runIdentifier = z.string();
