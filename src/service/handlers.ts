import type { ServiceContext } from './context.ts';
import type { Handlers, ResourceHandlers } from './http/call.ts';
import { acknowledge } from './leases/acknowledge.ts';
import { appendEvents } from './leases/append-events.ts';
import { claim } from './leases/claim.ts';
import { complete } from './leases/complete.ts';
import { getLease } from './leases/get-lease.ts';
import { heartbeat } from './leases/heartbeat.ts';
import { release } from './leases/release.ts';
import { createResourceHandlers } from './resource-handlers.ts';
import { cancelRun } from './runs/life/cancel-run.ts';
import { createRun } from './runs/create/create-run.ts';
import { createEntriesHandler } from './runs/log/entries-handler.ts';
import { finishTask } from './runs/life/finish-task.ts';
import { followUp } from './runs/life/follow-up.ts';
import { getConversation, getRunConversation } from './runs/log/get-conversation.ts';
import {
  followupAttachments,
  listAttachments,
  prepareAttachments,
  uploadAttachment,
} from './runs/attachments.ts';
import { getRun } from './runs/get-run.ts';
import { getSpans } from './runs/log/get-spans.ts';
import { getTimeline } from './runs/log/get-timeline.ts';
import { listWhenChanged } from './runs/list/list-runs.ts';
import { listMessages, noteDelivered, readMessage, sendMessage } from './runs/messages.ts';
import { conversationOf, followUpConversation, handedOver, latestRunOf } from './runs/sessions.ts';
import { shareRun } from './runs/sharing.ts';
import { reportArtifact, runByReference } from './artifacts/report-artifact.ts';
import { workerSettingsOf } from './workers/worker-settings.ts';
import { harnessUsage } from './runs/harness-usage.ts';
import { interruptConversation, interruptRun } from './runs/life/interrupt.ts';
import { listEvents } from './runs/log/list-events.ts';
import {
  redirectToConversation,
  redirectToTranscript,
  sendConversation,
  sendTranscript,
} from './runs/log/transcript.ts';

/** A handler for every endpoint of the contract. */
export function createHandlers(context: ServiceContext): Handlers {
  return {
    ...createResourceHandlers(context),
    runs: runHandlers(context),
    conversations: {
      get: ({ caller, params }) => getConversation(context, caller, params.conversationId),
      followup: (call) => followUpConversation(context, call),
      interrupt: ({ caller, params }) =>
        interruptConversation(context, caller, params.conversationId),
      transcript: (call) => redirectToConversation(context, call),
      transcriptContent: (call) => sendConversation(context, call),
      redirect: async ({ caller, params }) => ({
        session_id: await latestRunOf(context.db, caller, params.conversationId),
      }),
      ofSession: ({ caller, params }) => conversationOf(context.db, caller, params.sessionId),
    },
    messages: {
      send: (call) => sendMessage(context, call),
      list: (call) => listMessages(context, call),
      read: (call) => readMessage(context, call),
      delivered: (call) => noteDelivered(context, call),
    },
    harness: {
      reportArtifact: (call) => reportArtifact(context, call),
      finishTask: (call) => finishTask(context, call),
    },
    worker: workerHandlers(context),
  };
}

function runHandlers(context: ServiceContext): ResourceHandlers<'runs'> {
  return {
    create: (call) => createRun(context, call),
    createLegacy: (call) => createRun(context, call),
    list: (call) => listWhenChanged(context, call),
    listLegacy: (call) => listWhenChanged(context, call),
    get: (call) => getRun(context, call),
    getLegacy: (call) => getRun(context, call),
    transcript: (call) => redirectToTranscript(context, call),
    transcriptContent: (call) => sendTranscript(context, call),
    timeline: ({ caller, params }) => getTimeline(context, caller, params.runId),
    share: (call) => shareRun(context, call),
    interrupt: async ({ caller, params }) => interruptRun(context, caller, params.runId),
    harnessUsage: ({ caller, params }) => harnessUsage(context, caller, params.runId),
    events: (call) => listEvents(context, call),
    entries: createEntriesHandler(context),
    attachments: ({ caller, params }) => listAttachments(context, caller, params.runId),
    handoffAttachments: ({ caller, params }) => handedOver(context, caller, params.runId),
    prepareAttachments: (call) => prepareAttachments(context, call),
    uploadAttachment: (call) => uploadAttachment(context, call),
    spans: ({ caller, params, query }) => getSpans(context, caller, params.runId, query.limit),
    conversation: ({ caller, params }) => getRunConversation(context, caller, params.runId),
    cancel: ({ caller, params }) => cancelRun(context, caller, params.runId),
    cancelLegacy: ({ caller, params }) => cancelRun(context, caller, params.runId),
    followup: (call) => followUp(context, call),
    byExternalReference: ({ caller, query }) => runByReference(context.db, caller, query.url),
  };
}

function workerHandlers(context: ServiceContext): ResourceHandlers<'worker'> {
  return {
    settings: async () => workerSettingsOf(context),
    claim: (call) => claim(context, call),
    acknowledge: (call) => acknowledge(context, call),
    lease: (call) => getLease(context, call),
    heartbeat: (call) => heartbeat(context, call),
    attachments: (call) => followupAttachments(context, call),
    appendEvents: (call) => appendEvents(context, call),
    complete: (call) => complete(context, call),
    release: (call) => release(context, call),
  };
}
