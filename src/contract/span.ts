import { z } from 'zod';
import { timestamp } from './primitives.ts';

/** Most spans in one answer. */
const SPANS_MAX = 2000;

/**
 * A part of a run's time: waiting for a worker, a set-up step, the agent, a tool call, or a person.
 */
export const span = z.object({
  kind: z.enum(['queue', 'clone', 'setup', 'agent', 'command', 'waiting']),
  title: z.string(),
  started_at: timestamp,
  /** Null while it goes on. */
  ended_at: timestamp.nullable(),
  execution_id: z.int(),
  /** Its place in the log, if it has one. */
  position: z.int().optional(),
  failed: z.boolean(),
  /** How many neighbours were merged into it, itself included. */
  count: z.int().min(1),
});
export type Span = z.infer<typeof span>;

/** Query of GET /agent/runs/{runId}/spans. */
export const listSpansQuery = z.object({
  /** Neighbouring tool calls are merged until all fit into this number. */
  limit: z.int().min(1).max(SPANS_MAX).default(SPANS_MAX),
});

/**
 * Spans in the order in which they began. Of a very long log only the last part's tool calls are
 * included.
 */
export const listSpansResponse = z.object({ spans: z.array(span) });
