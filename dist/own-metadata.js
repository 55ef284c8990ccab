import { _ as union, f as number, g as string, m as record, o as boolean } from "./vendor-zod.js";
import { r as metadata } from "./primitives.js";
// src/action/own-metadata.ts
/** Input `metadata`: YAML reads `42` and `true` as such, metadata is text. */
const ownMetadata = record(string(), union([
	string(),
	number(),
	boolean()
]).transform(String)).pipe(metadata);
export { ownMetadata };
