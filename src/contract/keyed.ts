import { z } from 'zod';

const PROTO = '__proto__';
/**
 * Marks a null below a map's key: keys of a map are not optional fields, so this null is not the
 * same as leaving the key out.
 */
export const IN_MAP = { inMap: true };

/** Zod's record silently drops the key `__proto__`; this one keeps it like any other. */
const KeyedRecord = z.core.$constructor<z.ZodRecord>('KeyedRecord', (inst, def) => {
  z.ZodRecord.init(inst, def);
  const { _zod: inner } = inst;
  const { _zod: keys } = def.keyType;
  const { _zod: values } = def.valueType;
  const parseOthers = inner.parse.bind(inner);
  inner.parse = (payload, context) => {
    const given: unknown = payload.value;
    const parsed = parseOthers(payload, context);
    if (parsed instanceof Promise || !z.core.util.isPlainObject(given)) return parsed;
    parsed.issues = parsed.issues.map((issue) =>
      issue.input === null && issue.path?.length === 1
        ? { ...issue, code: 'custom', message: 'must not be null', params: IN_MAP }
        : issue,
    );
    const own = Object.getOwnPropertyDescriptor(given, PROTO);
    if (own === undefined) return parsed;
    const key = keys.run({ value: PROTO, issues: [] }, context);
    const value = values.run({ value: own.value, issues: [] }, context);
    if (key instanceof Promise || value instanceof Promise) throw new z.core.$ZodAsyncError();
    parsed.issues.push(...z.core.util.prefixIssues(PROTO, [...key.issues, ...value.issues]));
    Object.defineProperty(parsed.value, PROTO, { ...own, value: value.value });
    return parsed;
  };
});

/** A map from text to values; every key is allowed. */
export function keyed<V extends z.ZodType>(
  key: z.ZodString,
  value: V,
): z.ZodRecord<z.ZodString, V> {
  const { def } = z.record(key, value);
  return new KeyedRecord(def) as z.ZodRecord<z.ZodString, V>;
}
