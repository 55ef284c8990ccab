import { z } from 'zod';
import { timestamp } from './primitives.ts';

/** Most spans of one answer. */
const SPANS_MAX = 2000;

/** A piece of a run's time: waiting for a worker, a step of the set-up, the agent, a tool call, a person. */
export const span = z.object({
  kind: z.enum(['queue', 'clone', 'setup', 'agent', 'command', 'waiting']),
  title: z.string(),
  started_at: timestamp,
  /** Null while it lasts. */
  ended_at: timestamp.nullable(),
  execution_id: z.int(),
  /** Where it stands in the log, if it does. */
  position: z.int().optional(),
  failed: z.boolean(),
  /** How many neighbours it stands for, itself included. */
  count: z.int().min(1),
});
export type Span = z.infer<typeof span>;

/** Query of GET /agent/runs/{runId}/spans. */
export const listSpansQuery = z.object({
  /** Neighbouring tool calls are told as one until all fit into this many. */
  limit: z.int().min(1).max(SPANS_MAX).default(SPANS_MAX),
});

/** In the order they began; of a very long log the tool calls of its last part. */
export const listSpansResponse = z.object({ spans: z.array(span) });
