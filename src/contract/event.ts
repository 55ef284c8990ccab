import { z } from 'zod';
import { keyed } from './keyed.ts';
import { integer, text, timestamp } from './primitives.ts';
import { requestUsage } from './run.ts';

/** Longest text of one event; the worker splits or cuts longer ones. */
export const EVENT_TEXT_MAX = 65_536;
/** Longest raw protocol line that is kept with an event; longer ones lose their middle. */
export const EVENT_RAW_MAX = 131_072;
/** Most events in one batch. */
export const EVENT_BATCH_MAX = 500;

export const toolKind = z.enum([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'other',
]);
export type ToolKind = z.infer<typeof toolKind>;

const base = {
  /** Position in this execution, from 1, without gaps; it makes a second delivery harmless. */
  seq: integer.min(1),
  at: timestamp,
  /** The line of the agent's own protocol that this event was read from. */
  raw: text(EVENT_RAW_MAX).optional(),
};
const eventText = text(EVENT_TEXT_MAX);
const shortText = text(4096);

/**
 * One entry of a run's append-only log, as a worker reports it. Text arrives in parts that share a
 * `message_id`. Tool calls are merged by `call_id`: later values win, outputs are appended.
 */
export const workerEvent = z.discriminatedUnion('type', [
  z.object({
    ...base,
    type: z.literal('message'),
    message_id: shortText,
    role: z.enum(['user', 'assistant']),
    delta: eventText,
  }),
  z.object({ ...base, type: z.literal('thought'), message_id: shortText, delta: eventText }),
  z.object({
    ...base,
    type: z.literal('tool_call'),
    call_id: shortText,
    parent_call_id: shortText.optional(),
    kind: toolKind.optional(),
    title: shortText.optional(),
    name: shortText.optional(),
    input: keyed(z.string(), z.unknown()).optional(),
    status: z.enum(['pending', 'running', 'completed', 'failed', 'denied']).optional(),
    /** Appended to the call's output. */
    output_delta: eventText.optional(),
    exit_code: z.int().nullable().optional(),
    paths: z.array(shortText).max(256).optional(),
    diff: z
      .object({ path: shortText, old_text: eventText.nullable(), new_text: eventText })
      .optional(),
  }),
  z.object({
    ...base,
    type: z.literal('plan'),
    entries: z
      .array(
        z.object({
          content: eventText,
          status: shortText.optional(),
          priority: shortText.optional(),
        }),
      )
      .max(256),
  }),
  z.object({
    ...base,
    type: z.literal('permission'),
    call_id: shortText.optional(),
    title: shortText,
    decision: z.enum(['allowed', 'denied', 'cancelled']),
  }),
  z.object({ ...base, type: z.literal('usage'), usage: requestUsage }),
  z.object({
    ...base,
    type: z.literal('notice'),
    level: z.enum(['info', 'warn', 'error']),
    text: eventText,
  }),
  /**
   * A step of preparing the workspace: clone, setup command, start of the agent, push, pull
   * request.
   */
  z.object({
    ...base,
    type: z.literal('setup'),
    step: z.string().regex(/^[a-z][a-z_]{0,39}$/),
    title: shortText,
    started_at: timestamp,
    finished_at: timestamp.optional(),
    is_error: z.boolean().optional(),
    output: eventText.optional(),
  }),
  z.object({
    ...base,
    type: z.literal('agent_started'),
    harness: shortText,
    version: shortText.optional(),
    sandbox: shortText.optional(),
  }),
  /** The files that differ from the base commit, according to git. */
  z.object({
    ...base,
    type: z.literal('changes'),
    base_sha: shortText,
    head_sha: shortText.optional(),
    files: z
      .array(
        z.object({
          path: shortText,
          status: z.enum(['added', 'modified', 'deleted', 'renamed']),
          additions: z.int().min(0),
          deletions: z.int().min(0),
        }),
      )
      .max(3000),
    diff: text(1_000_000).optional(),
  }),
  z.object({ ...base, type: z.literal('turn_end'), stop_reason: shortText }),
  /** A protocol line without a meaning here, kept for the transcript. */
  z.object({ ...base, type: z.literal('protocol') }),
]);
export type WorkerEvent = z.infer<typeof workerEvent>;
export type WorkerEventBody = WorkerEvent extends infer E
  ? E extends WorkerEvent
    ? Omit<E, 'seq' | 'at'>
    : never
  : never;
