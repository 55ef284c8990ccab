import { z } from 'zod';
import { workerEvent } from './event.ts';
import { keyed } from './keyed.ts';
import { filledText, text, timestamp, userProfile } from './primitives.ts';
import { runMode } from './run.ts';
import { timelineEvent } from './timeline.ts';

/** What the service itself writes into a run's log, beside the worker's events. */
export const lifecycleEvent = z.object({
  type: z.literal('lifecycle'),
  at: timestamp,
  event_type: timelineEvent.shape.event_type,
  payload: keyed(z.string(), z.unknown()).optional(),
});

/** A follow-up as it was accepted, at its place in the log. */
export const followupEvent = z.object({
  type: z.literal('followup'),
  at: timestamp,
  followup_id: z.string(),
  message: z.string(),
  mode: runMode.optional(),
  creator: userProfile.optional(),
});

/** One line of a run's log as it is read back, without the raw protocol line. */
export const logEvent = z.union([workerEvent, lifecycleEvent, followupEvent]);
export type LogEvent = z.infer<typeof logEvent>;

/**
 * Everything the log says about one thing: a message in all its pieces, a tool call with its
 * updates, or a single event. It stands where its first event stands.
 */
export const runEntry = z.object({
  /** Place of the first event in the run's log, from 1. */
  position: z.int().min(1),
  /** Place of the latest event; grows while the entry does. */
  last_position: z.int().min(1),
  attempt: z.int().min(1),
  events: z.array(logEvent).min(1),
});
export type RunEntry = z.infer<typeof runEntry>;

/** Most events of one entry that are sent; of a longer one the first and then the last ones are. */
export const ENTRY_EVENTS_MAX = 2000;

/**
 * Query of GET /agent/runs/{runId}/entries. Without `after`, `before` and `from` the latest entries;
 * `before` those that start before that place; `from` those that start there or later, the earliest
 * of them; `after` those touched after it, and only that one
 * honours `Prefer: wait`.
 */
export const listEntriesQuery = z.object({
  after: z.int().min(0).optional(),
  before: z.int().min(1).optional(),
  from: z.int().min(1).optional(),
  limit: z.int().min(1).max(500).default(100),
  /** Only entries whose first event is of one of these types. */
  type: z.array(text(40)).max(16).optional(),
  /** Only entries that say this, in any letter case; not with `after`. */
  q: filledText(200).optional(),
  /** `true`: only tool calls and steps of the set-up that failed; not with `after`. */
  failed: z.boolean().optional(),
});

/** Entries in the order they began. */
export const listEntriesResponse = z.object({
  entries: z.array(runEntry),
  /** Entries that began before the first one here exist. */
  has_earlier: z.boolean(),
  /** Asked with `from`: entries that began after the last one here exist; with `q` or `failed`, may exist. */
  has_later: z.boolean().optional(),
  /** Asked with `q` or `failed`, and places are left: the last one looked at, of 200,000 at most. */
  searched_to: z.int().optional(),
  /** Where the next `after` continues: the latest place all of whose changes are in this answer. */
  next_after: z.int().min(0),
});
export type ListEntriesResponse = z.infer<typeof listEntriesResponse>;
