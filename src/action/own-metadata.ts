import { z } from 'zod';
import { metadata } from '../contract/primitives.ts';

/** Input `metadata`: YAML reads `42` and `true` as such, metadata is text. */
export const ownMetadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
  .pipe(metadata);
