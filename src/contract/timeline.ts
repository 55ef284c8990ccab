import { z } from 'zod';
import { keyed } from './keyed.ts';
import { timestamp, uuid } from './primitives.ts';

/** Public lifecycle events (interface.md 2.6). */
export const TIMELINE_EVENT_TYPES = [
  'oz_run_created',
  'oz_run_claimed',
  'worker_container_ready',
  'shared_session_started',
  'agent_started',
  'oz_run_done',
  'oz_run_blocked',
  'oz_run_cancelled',
  'oz_run_failed',
  'oz_run_errored',
  'vm_shutdown',
] as const;
export const timelineEventType = z.enum(TIMELINE_EVENT_TYPES);

export const timelineEvent = z.object({
  event_uuid: uuid,
  run_id: z.string(),
  /**
   * A public type, or one of ours for a step of the set-up: `setup_<step>` with payload {start_ts,
   * finish_ts, latency_ms, is_error} (interface.md 2.6).
   */
  event_type: z.union([timelineEventType, z.string().regex(/^(setup|oz_run)_[a-z_]+$/)]),
  occurred_at: timestamp,
  /** Number of the execution: 1 for the first; each follow-up to an ended run adds one. */
  execution_id: z.int().optional(),
  payload: keyed(z.string(), z.unknown()).optional(),
});
export type TimelineEvent = z.infer<typeof timelineEvent>;

export const timelineResponse = z.object({ events: z.array(timelineEvent) });
