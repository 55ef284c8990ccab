import { createRequire } from 'node:module';
import { z } from 'zod';

const schema = z.array(
  z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }),
);

/** GitHub's own example payloads, by event. */
export const webhookExamples = schema.parse(
  createRequire(import.meta.url)('@octokit/webhooks-examples'),
);
