import { z } from 'zod';
import { timestamp } from './primitives.ts';

/** All workers with one host name (interface.md 2.10). */
export const connectedWorker = z.object({
  worker_host: z.string(),
  connection_count: z.int(),
  connected_at: timestamp,
  last_seen_at: timestamp,
});
export type ConnectedWorker = z.infer<typeof connectedWorker>;

/** One worker that was heard from recently; ours. */
export const workerItem = z.object({
  worker_id: z.string(),
  /** Null for a worker of the service's own pool. */
  worker_host: z.string().nullable(),
  harnesses: z.array(z.string()),
  sandbox: z.string().nullable(),
  version: z.string().nullable(),
  /** How many runs it works on, of any team, and how many more it would take. */
  working: z.int(),
  free: z.int(),
  /** Those of its runs that belong to the caller's team. */
  runs: z.array(z.object({ run_id: z.string(), title: z.string() })),
  connected_at: timestamp,
  last_seen_at: timestamp,
});
export type WorkerItem = z.infer<typeof workerItem>;
export const listAllWorkersResponse = z.object({ workers: z.array(workerItem) });

export const listWorkersResponse = z.object({ workers: z.array(connectedWorker) });
