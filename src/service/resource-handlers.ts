import { openapiDocument } from '../contract/openapi.ts';
import { readArtifact, redirectToDownload, serveDownload } from './artifacts/read-artifact.ts';
import { setVisibility } from './artifacts/set-visibility.ts';
import { uploadArtifact } from './artifacts/upload-artifact.ts';
import type { ServiceContext } from './context.ts';
import { listEnvironments } from './environments/list-environments.ts';
import { jsonAnswer } from './http/answer.ts';
import type { Handlers } from './http/call.ts';
import { listIdentities, requireIdentity } from './identities/read-identities.ts';
import { createIdentity, deleteIdentity, updateIdentity } from './identities/write-identities.ts';
import { createAccessHandlers, createKeyHandlers } from './keys/routes.ts';
import { listModels } from './models/models.ts';
import {
  createAuditHandlers,
  createMemberHandlers,
  createSignInHandlers,
} from './people/routes.ts';
import { listSchedules, presentSchedule, requireSchedule } from './schedules/present-schedule.ts';
import {
  createSchedule,
  deleteSchedule,
  setEnabled,
  updateSchedule,
} from './schedules/write-schedules.ts';
import { listScores } from './scores/list-scores.ts';
import { reportScores } from './scores/report-scores.ts';
import { claimDiscovery, reportDiscovery } from './skills/discovery.ts';
import { listSkills } from './skills/list-skills.ts';
import { readStatistics } from './statistics/read-statistics.ts';
import { listAllWorkers } from './workers/list-all-workers.ts';
import { listWorkers } from './workers/list-workers.ts';

type ResourceHandlers = Omit<
  Handlers,
  'runs' | 'messages' | 'conversations' | 'harness' | 'worker'
>;

/** The handlers of everything except runs and the worker protocol. */
export function createResourceHandlers(context: ServiceContext): ResourceHandlers {
  const openapi = openapiDocument();
  return {
    access: createAccessHandlers(context),
    keys: createKeyHandlers(context),
    artifacts: {
      get: ({ caller, params }) => readArtifact(context, caller, params.artifactUid),
      download: ({ caller, params }) => redirectToDownload(context, caller, params.artifactUid),
      setVisibility: ({ caller, params, body }) =>
        setVisibility(context, caller, params.artifactUid, body.public),
      upload: (call) => uploadArtifact(context, call),
      content: ({ params, request }) => serveDownload(context, params.artifactUid, request.url),
    },
    description: { openapi: async () => openapi },
    environments: {
      list: async ({ caller, query }) => ({
        environments: await listEnvironments(context, caller.teamId, query.sort_by),
      }),
    },
    identities: {
      create: (call) => createIdentity(context, call),
      list: async ({ caller }) => ({ agents: await listIdentities(context, caller.teamId) }),
      get: ({ caller, params }) => requireIdentity(context, caller.teamId, params.uid),
      update: ({ caller, params, body }) => updateIdentity(context, caller, params.uid, body),
      delete: ({ caller, params }) => deleteIdentity(context, caller, params.uid),
    },
    members: createMemberHandlers(context),
    signIns: createSignInHandlers(context),
    audit: createAuditHandlers(context),
    models: { list: async () => listModels(context.config) },
    schedules: scheduleHandlers(context),
    scores: {
      report: async ({ caller, params, body }) => {
        const answer = await reportScores(context, caller, params.runId, body);
        const someRejected = answer.results.some(({ status }) => status === 'rejected');
        return jsonAnswer(answer, someRejected ? 206 : 200);
      },
      list: ({ caller, params }) => listScores(context, caller, params.runId),
    },
    skills: {
      list: async ({ caller, query, request }) => ({
        agents: await listSkills(context, caller.teamId, query, request.signal),
      }),
      claimDiscovery: async ({ caller, waitSeconds, request: { signal } }) => ({
        discovery: await claimDiscovery(context, caller, { seconds: waitSeconds ?? 0, signal }),
      }),
      reportDiscovery: async ({ params, body }) => ({
        skills: await reportDiscovery(context, params.discoveryId, body),
      }),
    },
    statistics: { read: ({ caller, query }) => readStatistics(context, caller.teamId, query) },
    workers: {
      list: async ({ caller }) => ({ workers: await listWorkers(context, caller.teamId) }),
      all: async ({ caller }) => ({ workers: await listAllWorkers(context, caller) }),
    },
  };
}

function scheduleHandlers(context: ServiceContext): Handlers['schedules'] {
  return {
    create: (call) => createSchedule(context, call),
    list: async ({ caller }) => ({ schedules: await listSchedules(context, caller.teamId) }),
    get: async ({ caller, params }) =>
      presentSchedule(context, await requireSchedule(context, caller.teamId, params.scheduleId)),
    update: ({ caller, params, body }) => updateSchedule(context, caller, params.scheduleId, body),
    delete: ({ caller, params }) => deleteSchedule(context, caller, params.scheduleId),
    pause: ({ caller, params }) => setEnabled(context, caller, params.scheduleId, false),
    resume: ({ caller, params }) => setEnabled(context, caller, params.scheduleId, true),
  };
}
