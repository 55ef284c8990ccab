import { z } from 'zod';
import { timestamp } from './primitives.ts';

/** The workers of one host name, together (interface.md 2.10). */
export const connectedWorker = z.object({
  worker_host: z.string(),
  connection_count: z.int(),
  connected_at: timestamp,
  last_seen_at: timestamp,
});
export type ConnectedWorker = z.infer<typeof connectedWorker>;

export const listWorkersResponse = z.object({ workers: z.array(connectedWorker) });
