import type { Octokit } from '@octokit/core';
import { z } from 'zod';

/** The one thing we need of any Octokit: typed requests by route. */
export type Github = Pick<Octokit, 'request'>;

const httpError = z.looseObject({
  status: z.number(),
  response: z.looseObject({ headers: z.record(z.string(), z.unknown()).optional() }).optional(),
});

/** HTTP status of what Octokit threw; undefined when it was no answer of GitHub at all. */
export function statusOf(thrown: unknown): number | undefined {
  const parsed = httpError.safeParse(thrown);
  return parsed.success ? parsed.data.status : undefined;
}
