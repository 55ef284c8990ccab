import { z } from 'zod';
import { workerEvent } from './event.ts';
import { keyed } from './keyed.ts';
import { filledText, text, timestamp, userProfile } from './primitives.ts';
import { runMode } from './run.ts';
import { timelineEvent } from './timeline.ts';

/** What the service itself adds to a run's log, beside the worker's events. */
export const lifecycleEvent = z.object({
  type: z.literal('lifecycle'),
  at: timestamp,
  event_type: timelineEvent.shape.event_type,
  payload: keyed(z.string(), z.unknown()).optional(),
});

/** An accepted follow-up, at its place in the log. */
export const followupEvent = z.object({
  type: z.literal('followup'),
  at: timestamp,
  followup_id: z.string(),
  message: z.string(),
  mode: runMode.optional(),
  creator: userProfile.optional(),
});

/** One event of a run's log as it is read back, without the raw protocol line. */
export const logEvent = z.union([workerEvent, lifecycleEvent, followupEvent]);
export type LogEvent = z.infer<typeof logEvent>;

/**
 * Everything in the log about one thing: a message with all its parts, a tool call with its
 * updates, or a single event. Its place is that of its first event.
 */
export const runEntry = z.object({
  /** Place of the first event in the run's log, from 1. */
  position: z.int().min(1),
  /** Place of its latest event; grows with the entry. */
  last_position: z.int().min(1),
  attempt: z.int().min(1),
  events: z.array(logEvent).min(1),
});
export type RunEntry = z.infer<typeof runEntry>;

/**
 * Most events that are sent of one entry; a longer one is sent with its first and its last events.
 */
export const ENTRY_EVENTS_MAX = 2000;

/**
 * Query of GET /agent/runs/{runId}/entries. Without `after`, `before` and `from`: the latest
 * entries. `before`: entries that begin before that place. `from`: the first entries that begin
 * there or later. `after`: entries that changed after that place; only this one honours `Prefer:
 * wait`.
 */
export const listEntriesQuery = z.object({
  after: z.int().min(0).optional(),
  before: z.int().min(1).optional(),
  from: z.int().min(1).optional(),
  limit: z.int().min(1).max(500).default(100),
  /** Only entries whose first event is of one of these types. */
  type: z.array(text(40)).max(16).optional(),
  /** Only entries that contain this text, in any case; not with `after`. */
  q: filledText(200).optional(),
  /** `true`: only tool calls and set-up steps that failed; not with `after`. */
  failed: z.boolean().optional(),
});

/** Entries in the order in which they began. */
export const listEntriesResponse = z.object({
  entries: z.array(runEntry),
  /** There are entries before the first one here. */
  has_earlier: z.boolean(),
  /** With `from`: there are entries after the last one here; with `q` or `failed`, there may be. */
  has_later: z.boolean().optional(),
  /**
   * With `q` or `failed`, if the search is incomplete: the last place searched; one request
   * searches 200,000 at most.
   */
  searched_to: z.int().optional(),
  /** The value of `after` to continue with: every change up to this place is in this answer. */
  next_after: z.int().min(0),
});
export type ListEntriesResponse = z.infer<typeof listEntriesResponse>;
