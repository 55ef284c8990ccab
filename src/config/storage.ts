import { z } from 'zod';
import { variableName } from './harness.ts';
import { filledText } from '../contract/primitives.ts';

const directoryStorage = z.strictObject({
  driver: z.literal('directory').meta({ description: 'Files in a folder.' }),
  path: filledText(4096)
    .optional()
    .meta({ description: 'The folder; `blobs` in the data directory if absent.' }),
});
const s3Storage = z.strictObject({
  driver: z.literal('s3').meta({ description: 'Any S3-compatible object store.' }),
  bucket: filledText(256).meta({ description: 'Bucket.' }),
  region: filledText(64).default('us-east-1').meta({ description: 'Region.' }),
  endpoint: z.url().optional().meta({ description: 'Address of the store, if it is not AWS.' }),
  path_style: z.boolean().default(false).meta({
    description: 'Put the bucket into the path; most stores that you run yourself need this.',
  }),
  access_key_id_variable: variableName.default('AWS_ACCESS_KEY_ID').meta({
    description: 'Environment variable that holds the access key id.',
  }),
  secret_access_key_variable: variableName.default('AWS_SECRET_ACCESS_KEY').meta({
    description: 'Environment variable that holds the secret access key.',
  }),
});
/** Where artifacts and transcripts are kept. */
export const storage = z.discriminatedUnion('driver', [directoryStorage, s3Storage]);
export type StorageConfig = z.infer<typeof storage>;
