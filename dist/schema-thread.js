import { t as Validator } from "./vendor-json-schema.js";
import { t as serveJobs } from "./serve-jobs.js";
// src/action/schema-thread.ts
serveJobs(({ schema, value }) => {
	const { errors } = new Validator(schema, "2020-12").validate(value);
	const innermost = errors.at(-1);
	return innermost && `at ${innermost.instanceLocation}: ${innermost.error}`;
});
export {};
