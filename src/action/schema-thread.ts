import { Validator, type Schema } from '@cfworker/json-schema';
import { serveJobs } from '../base/serve-jobs.ts';

/** A value, and the schema to check it by. */
export interface SchemaAsk {
  schema: Schema;
  value: unknown;
}

serveJobs(({ schema, value }: SchemaAsk): string | undefined => {
  const { errors } = new Validator(schema, '2020-12').validate(value);
  const innermost = errors.at(-1);
  return innermost && `at ${innermost.instanceLocation}: ${innermost.error}`;
});
