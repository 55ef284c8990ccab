import { z } from 'zod';
import { downloadQuery } from './artifact.ts';
import { ANYONE, OF_RUNS, endpoint } from './endpoint.ts';
import { timestamp } from './primitives.ts';
import { requestUsage } from './run.ts';

/** What a run’s agent used, in the envelope of the public interface (interface.md 4.2). */
export const harnessUsageResponse = z.object({
  available: z.boolean(),
  run_id: z.string(),
  conversation_id: z.string(),
  age_seconds: z.int().nullable(),
  usage: z
    .object({
      capturedAt: timestamp,
      captureSequence: z.int(),
      executionId: z.string(),
      harness: z.enum(['CLAUDE_CODE', 'CODEX']),
      metricsVersion: z.literal(1),
      snapshot: z.object({
        coverage: z.object({
          tokenStatus: z.enum(['known', 'partial', 'unavailable']),
          toolStatus: z.enum(['known', 'partial', 'unavailable']),
        }),
        payload: requestUsage,
      }),
    })
    .nullable(),
});

export const RUN_EVENT_TYPES = [
  'run_in_progress',
  'run_succeeded',
  'run_failed',
  'run_errored',
  'run_blocked',
  'run_cancelled',
] as const;
const EVENTS = { default: 100, max: 500 } as const;
const RUNS_MAX = 100;

const listEventsQuery = z.object({
  run_ids: z.array(z.string().max(64)).min(1).max(RUNS_MAX),
  /** Events up to this `sequence` are known already. */
  since: z.int().min(0).default(0),
  limit: z.int().min(1).max(EVENTS.max).default(EVENTS.default),
});

export const runEvent = z.object({
  event_type: z.enum(RUN_EVENT_TYPES),
  run_id: z.string(),
  ref_id: z.string().nullable(),
  execution_id: z.string().nullable(),
  occurred_at: timestamp,
  sequence: z.int(),
});

const interrupt = {
  ...OF_RUNS,
  method: 'POST',
  status: 202,
  errors: ['invalid_request', 'resource_not_found', 'conflict', 'operation_not_supported'],
} as const;

/** What a client may do with a run while it works, and read of it afterwards. */
export const liveEndpoints = {
  runs: {
    interrupt: endpoint({
      ...interrupt,
      path: '/agent/runs/{runId}/interrupt',
      summary:
        'Stop the turn that the agent is in; follow-ups come next, and without one the run asks.',
      answer: z.object({ run_id: z.string() }),
    }),
    harnessUsage: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/harness-usage',
      summary: 'What Claude Code or Codex used so far.',
      answer: harnessUsageResponse,
      errors: ['resource_not_found'],
    }),
    events: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/events',
      summary: 'How some runs began and ended, oldest first.',
      query: listEventsQuery,
      answer: z.array(runEvent),
      errors: ['invalid_request', 'resource_not_found'],
    }),
  },
  conversations: {
    interrupt: endpoint({
      ...interrupt,
      path: '/agent/conversations/{conversationId}/interrupt',
      summary: 'Stop the turn of the latest run of a conversation.',
      answer: z.object({ run_id: z.string() }),
    }),
    transcript: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/conversations/{conversationId}/transcript',
      summary: 'Redirect to a time-limited download of the raw transcripts of a conversation.',
      answer: 'redirect',
      errors: ['resource_not_found'],
    }),
    transcriptContent: endpoint({
      method: 'GET',
      path: '/downloads/conversations/{conversationId}',
      summary: 'The raw transcripts behind a signed link: one JSON document per line.',
      source: 'interface.md 4.8',
      ours: true,
      callers: ANYONE,
      query: downloadQuery,
      answer: 'stream',
      errors: ['invalid_request', 'not_authorized', 'resource_not_found'],
    }),
  },
} as const;
