import { accessEndpoints } from './access.ts';
import {
  downloadQuery,
  reportArtifactRequest,
  reportArtifactResponse,
  runByReferenceResponse,
  REFERENCE_URL_MAX,
} from './artifact.ts';
import { conversationResponse } from './conversation.ts';
import {
  ANYONE,
  OF_RUNS,
  PROMPT_MAX_BODY_BYTES,
  TEAM,
  PERSON,
  TEAM_OR_RUN,
  endpoint,
  type Endpoint,
} from './endpoint.ts';
import { listEntriesQuery, listEntriesResponse } from './entry.ts';
import { finishTaskRequest } from './finish-task.ts';
import {
  listEnvironmentsQuery,
  listEnvironmentsRead,
  listEnvironmentsResponse,
} from './environment.ts';
import { filledText } from './primitives.ts';
import { peopleEndpoints } from './people.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import {
  createRunAccepted,
  createRunRequest,
  createRunResponse,
  followupAccepted,
  followupRequest,
  followupResponse,
  handoffAttachmentsResponse,
  ATTACHMENT_MAX_BYTES,
  listAttachmentsResponse,
  listRunsQuery,
  listRunsRead,
  listRunsResponse,
  prepareAttachmentsRequest,
  prepareAttachmentsResponse,
  runItem,
  runSharing,
  runRead,
} from './run.ts';
import { liveEndpoints } from './live-endpoints.ts';
import { messages } from './message-endpoints.ts';
import { listSpansQuery, listSpansResponse } from './span.ts';
import { timelineResponse } from './timeline.ts';
import { workerEndpoints } from './worker-endpoints.ts';
import { z } from 'zod';

/** A run may carry five images as base64 (interface.md 4.2). */
const CREATE_MAX_BODY_BYTES = 80 * 1024 * 1024;

const createRun = {
  ...OF_RUNS,
  method: 'POST',
  summary: 'Start an agent run from a prompt and an optional configuration.',
  body: createRunRequest,
  maxBodyBytes: CREATE_MAX_BODY_BYTES,
  answer: createRunResponse,
  accept: createRunAccepted,
  errors: ['not_authorized', 'resource_not_found', 'conflict', 'operation_not_supported'],
  once: true,
} as const;

const listRuns = {
  ...OF_RUNS,
  method: 'GET',
  summary: 'List runs, newest change first unless asked otherwise.',
  query: listRunsQuery,
  answer: listRunsResponse,
  accept: listRunsRead,
  errors: ['invalid_request', 'feature_not_available', 'operation_not_supported'],
  waits: true,
} as const;

const getRun = {
  method: 'GET',
  summary:
    'One run: prompt, state, status message, session link, resolved configuration, artifacts.',
  source: 'interface.md 4.2',
  callers: TEAM_OR_RUN,
  answer: runItem,
  accept: runRead,
  errors: ['resource_not_found'],
  waits: true,
} as const;

const cancelRun = {
  method: 'POST',
  summary: 'Cancel a queued or working run; the answer is its id as a JSON string.',
  source: 'interface.md 4.2, 7',
  callers: TEAM,
  answer: z.string(),
  accept: z.unknown(),
  errors: ['invalid_request', 'resource_not_found', 'conflict', 'operation_not_supported'],
  idempotent: true,
} as const;

/**
 * Every endpoint of the service, by resource. The server mounts this table, the client calls it,
 * and OpenAPI prints it.
 */
export const endpoints = {
  runs: {
    create: endpoint({ ...createRun, path: '/agent/runs' }),
    createLegacy: endpoint({ ...createRun, path: '/agent/run', deprecated: true }),
    list: endpoint({ ...listRuns, path: '/agent/runs' }),
    listLegacy: endpoint({ ...listRuns, ...legacy('/agent/tasks') }),
    get: endpoint({ ...getRun, path: '/agent/runs/{runId}' }),
    getLegacy: endpoint({ ...getRun, ...legacy('/agent/tasks/{runId}') }),
    transcript: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/transcript',
      summary: 'Redirect to a time-limited download of the raw transcript.',
      answer: 'redirect',
      errors: ['resource_not_found'],
    }),
    transcriptContent: endpoint({
      method: 'GET',
      path: '/downloads/transcripts/{runId}',
      summary: 'The raw transcript behind a signed link: one JSON document per line.',
      source: 'interface.md 4.8',
      ours: true,
      callers: ANYONE,
      query: downloadQuery,
      answer: 'stream',
      errors: ['invalid_request', 'not_authorized', 'resource_not_found'],
    }),
    timeline: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/timeline',
      summary: 'Setup and lifecycle events of a run, oldest first.',
      answer: timelineResponse,
      errors: ['resource_not_found'],
    }),
    ...liveEndpoints.runs,
    share: endpoint({
      method: 'PUT',
      path: '/agent/runs/{runId}/sharing',
      summary: 'Show the page of a run to whoever has its link, or to nobody else again.',
      source: 'interface.md 5.3',
      ours: true,
      callers: PERSON,
      body: runSharing,
      answer: runSharing,
      errors: ['not_authorized', 'resource_not_found', 'operation_not_supported'],
    }),
    entries: endpoint({
      method: 'GET',
      path: '/agent/runs/{runId}/entries',
      summary: "A run's log in pages, its events grouped by message and tool call.",
      source: 'interface.md 4.2',
      ours: true,
      callers: TEAM_OR_RUN,
      query: listEntriesQuery,
      answer: listEntriesResponse,
      errors: ['invalid_request', 'resource_not_found'],
      waits: true,
    }),
    attachments: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/attachments',
      summary: 'The images that a run was started with, with their content.',
      ours: true,
      answer: listAttachmentsResponse,
      errors: ['resource_not_found'],
    }),
    handoffAttachments: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/handoff/attachments',
      summary: 'The same under the name that public clients ask for.',
      answer: handoffAttachmentsResponse,
      errors: ['resource_not_found'],
    }),
    prepareAttachments: endpoint({
      ...OF_RUNS,
      method: 'POST',
      path: '/agent/runs/{runId}/attachments/prepare',
      summary: 'Ids for images that a follow-up will name, and where each is sent to by PUT.',
      body: prepareAttachmentsRequest,
      answer: prepareAttachmentsResponse,
      errors: ['resource_not_found', 'conflict'],
    }),
    uploadAttachment: endpoint({
      method: 'PUT',
      path: '/uploads/{attachmentId}',
      summary: 'Takes the content of a prepared image at its signed link.',
      source: 'interface.md 4.2',
      ours: true,
      callers: ANYONE,
      query: downloadQuery,
      bodyKind: 'stream',
      maxBodyBytes: ATTACHMENT_MAX_BYTES,
      answer: 'empty',
      errors: ['invalid_request', 'not_authorized', 'resource_not_found', 'payload_too_large'],
    }),
    spans: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/spans',
      summary: "Where a run's time went: queue, set-up, agent, tool calls, waiting for an answer.",
      ours: true,
      query: listSpansQuery,
      answer: listSpansResponse,
      errors: ['invalid_request', 'resource_not_found'],
    }),
    conversation: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/runs/{runId}/conversation',
      summary: 'Messages and nested steps of a run in normalised form.',
      answer: conversationResponse,
      errors: ['resource_not_found', 'operation_not_supported'],
    }),
    cancel: endpoint({ ...cancelRun, path: '/agent/runs/{runId}/cancel' }),
    cancelLegacy: endpoint({ ...cancelRun, ...legacy('/agent/tasks/{runId}/cancel') }),
    followup: endpoint({
      ...OF_RUNS,
      method: 'POST',
      path: '/agent/runs/{runId}/followups',
      summary: 'Send a message to a run: queued, working or ended.',
      body: followupRequest,
      maxBodyBytes: PROMPT_MAX_BODY_BYTES,
      answer: followupResponse,
      accept: followupAccepted,
      errors: ['resource_not_found', 'conflict', 'operation_not_supported'],
      once: true,
    }),
    byExternalReference: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/run-by-external-reference',
      summary: 'The run that reported this URL as an EXTERNAL_REFERENCE artifact.',
      query: z.object({ url: filledText(REFERENCE_URL_MAX) }),
      answer: runByReferenceResponse,
      errors: ['invalid_request', 'resource_not_found'],
    }),
  },
  messages,
  conversations: {
    ...liveEndpoints.conversations,
    get: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/conversations/{conversationId}',
      summary: 'A conversation in normalised form.',
      answer: conversationResponse,
      errors: ['resource_not_found', 'operation_not_supported'],
    }),
    followup: endpoint({
      ...OF_RUNS,
      method: 'POST',
      path: '/agent/conversations/{conversationId}/followups',
      summary: 'Send a message to the latest run of a conversation.',
      body: followupRequest,
      maxBodyBytes: PROMPT_MAX_BODY_BYTES,
      answer: followupResponse.extend({ run_id: z.string() }),
      errors: ['resource_not_found', 'conflict', 'operation_not_supported'],
      once: true,
    }),
    redirect: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/conversations/{conversationId}/redirect',
      summary: 'The session of the latest run of a conversation.',
      answer: z.object({ session_id: z.string() }),
      errors: ['resource_not_found'],
    }),
    ofSession: endpoint({
      ...OF_RUNS,
      method: 'GET',
      path: '/agent/sessions/{sessionId}/redirect',
      summary: 'The conversation that is held in a session.',
      answer: z.object({ conversation_id: z.string() }),
      errors: ['resource_not_found'],
    }),
  },
  environments: {
    list: endpoint({
      method: 'GET',
      path: '/agent/environments',
      summary: 'Environments the caller owns, was granted or reached by link.',
      source: 'interface.md 4.1',
      callers: TEAM,
      query: listEnvironmentsQuery,
      answer: listEnvironmentsResponse,
      accept: listEnvironmentsRead,
      errors: ['invalid_request'],
    }),
  },
  harness: {
    reportArtifact: endpoint({
      method: 'POST',
      path: '/harness-support/report-artifact',
      summary:
        'Report a pull request or an external reference of the run named by X-Warp-Cloud-Agent-ID.',
      source: 'interface.md 4.4',
      callers: TEAM_OR_RUN,
      body: reportArtifactRequest,
      answer: reportArtifactResponse,
      errors: ['not_authorized', 'resource_not_found'],
      idempotent: true,
    }),
    finishTask: endpoint({
      method: 'POST',
      path: '/harness-support/finish-task',
      summary:
        'Report how a run ended that its caller executes (LOCAL or GITHUB_ACTION), named by X-Warp-Cloud-Agent-ID.',
      source: 'interface.md 4.6',
      callers: TEAM_OR_RUN,
      body: finishTaskRequest,
      answer: 'empty',
      errors: ['resource_not_found', 'conflict', 'operation_not_supported'],
      idempotent: true,
    }),
  },
  worker: workerEndpoints,
  ...resourceEndpoints,
  ...accessEndpoints,
  ...peopleEndpoints,
} as const satisfies Record<string, Record<string, Endpoint>>;

export type Endpoints = typeof endpoints;

/** The table as a list, each with its operation id such as `runs.create`. */
export function listEndpoints(): { id: string; endpoint: Endpoint }[] {
  return Object.entries(endpoints).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([name, value]) => ({
      id: `${resource}.${name}`,
      endpoint: value as Endpoint,
    })),
  );
}

/** The older path of runs, which clients still use (interface.md 4.2). */
function legacy<const Path extends string>(path: Path) {
  return { path, source: 'interface.md 4.2', deprecated: true } as const;
}
