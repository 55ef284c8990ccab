import { z } from 'zod';

const PROTO = '__proto__';
/** Marks the null of a map's key: a map has no optional fields, so it stands for nothing left out. */
export const IN_MAP = { inMap: true };

/** Zod's record leaves the key `__proto__` out without a word; this one keeps it as any other key. */
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

/** A map from text to values, whatever its keys are called. */
export function keyed<V extends z.ZodType>(
  key: z.ZodString,
  value: V,
): z.ZodRecord<z.ZodString, V> {
  const { def } = z.record(key, value);
  return new KeyedRecord(def) as z.ZodRecord<z.ZodString, V>;
}
