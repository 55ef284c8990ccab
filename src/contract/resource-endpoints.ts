import {
  ARTIFACT_MAX_BYTES,
  artifactResponse,
  artifactVisibility,
  artifactVisibilityResponse,
  downloadQuery,
  reportArtifactResponse,
  uploadArtifactQuery,
} from './artifact.ts';
import { listAllWorkersResponse, listWorkersResponse } from './connected-worker.ts';
import {
  ANYONE,
  BY_WORKER,
  OF_RUNS,
  PERSON,
  PROMPT_MAX_BODY_BYTES,
  READERS,
  RUN,
  TEAM,
  endpoint,
  type Endpoint,
} from './endpoint.ts';
import { listModelsResponse } from './model.ts';
import { identities, schedules } from './team-endpoints.ts';
import { listScoresResponse, reportScoresRequest, reportScoresResponse } from './score.ts';
import {
  claimDiscoveryResponse,
  listSkillsQuery,
  listSkillsResponse,
  reportDiscoveryRequest,
  reportDiscoveryResponse,
} from './skill.ts';
import { statisticsQuery, statisticsResponse } from './statistics.ts';
import { z } from 'zod';

/** Every SKILL.md of one repository. */
const DISCOVERY_MAX_BODY_BYTES = 32 * 1024 * 1024;

const artifacts = {
  get: endpoint({
    method: 'GET',
    path: '/agent/artifacts/{artifactUid}',
    summary: 'A plan with its content, or a file with a time-limited download link.',
    source: 'interface.md 4.4',
    callers: READERS,
    answer: artifactResponse,
    errors: ['invalid_request', 'resource_not_found'],
  }),
  download: endpoint({
    method: 'GET',
    path: '/agent/artifacts/{artifactUid}/download',
    summary: 'Redirect to a time-limited download of a file.',
    source: 'interface.md 4.4',
    callers: READERS,
    answer: 'redirect',
    errors: ['invalid_request', 'resource_not_found'],
  }),
  setVisibility: endpoint({
    method: 'PUT',
    path: '/agent/artifacts/{artifactUid}/visibility',
    summary: 'Make an artifact public, readable without a key, or private again.',
    source: 'interface.md 4.4',
    ours: true,
    callers: PERSON,
    role: 'owner',
    body: artifactVisibility,
    answer: artifactVisibilityResponse,
    errors: ['not_authorized', 'resource_not_found'],
  }),
  upload: endpoint({
    ...BY_WORKER,
    method: 'POST',
    path: '/worker/runs/{runId}/artifacts',
    summary: 'Store a file of a run under its lease; the body is the content.',
    query: uploadArtifactQuery,
    bodyKind: 'stream',
    maxBodyBytes: ARTIFACT_MAX_BYTES,
    answer: reportArtifactResponse,
    errors: [
      'invalid_request',
      'resource_not_found',
      'conflict',
      'payload_too_large',
      'service_unavailable',
    ],
    idempotent: true,
  }),
  content: endpoint({
    method: 'GET',
    path: '/downloads/{artifactUid}',
    summary: 'The content behind a signed link, where the service keeps contents itself.',
    source: 'interface.md 4.8',
    ours: true,
    callers: ANYONE,
    query: downloadQuery,
    answer: 'stream',
    errors: ['invalid_request', 'not_authorized', 'resource_not_found', 'service_unavailable'],
  }),
};

const scores = {
  report: endpoint({
    method: 'POST',
    path: '/agent/runs/{runId}/scores',
    summary: 'Report verdicts on a run, with the key of the judge run dispatched to score it.',
    source: 'interface.md 4.2',
    callers: RUN,
    ofOtherRun: true,
    body: reportScoresRequest,
    maxBodyBytes: PROMPT_MAX_BODY_BYTES,
    alsoStatus: 206,
    answer: reportScoresResponse,
    errors: ['not_authorized', 'resource_not_found'],
    idempotent: true,
  }),
  list: endpoint({
    ...OF_RUNS,
    method: 'GET',
    path: '/agent/runs/{runId}/scores',
    summary: 'The scores of a run.',
    ours: true,
    answer: listScoresResponse,
    errors: ['resource_not_found'],
  }),
};

const skills = {
  list: endpoint({
    method: 'GET',
    path: '/agent',
    summary: 'Agents that the environments’ repositories define as skills.',
    source: 'interface.md 4.1',
    callers: TEAM,
    query: listSkillsQuery,
    answer: listSkillsResponse,
    errors: ['invalid_request'],
  }),
  claimDiscovery: endpoint({
    ...BY_WORKER,
    method: 'POST',
    path: '/worker/skills/claim',
    summary: 'Take a repository whose skills are to be read.',
    answer: claimDiscoveryResponse,
    errors: ['not_authorized'],
    waits: true,
  }),
  reportDiscovery: endpoint({
    ...BY_WORKER,
    method: 'POST',
    path: '/worker/skills/{discoveryId}',
    summary: 'Report the skills of a repository, or why they could not be read.',
    body: reportDiscoveryRequest,
    maxBodyBytes: DISCOVERY_MAX_BODY_BYTES,
    answer: reportDiscoveryResponse,
    errors: ['resource_not_found', 'conflict'],
    idempotent: true,
  }),
};

const models = {
  list: endpoint({
    method: 'GET',
    path: '/agent/models',
    summary: 'Models, which one is the default, what they cost, and why one is disabled.',
    source: 'interface.md 4.1',
    callers: TEAM,
    answer: listModelsResponse,
  }),
};

const workers = {
  list: endpoint({
    method: 'GET',
    path: '/agent/connected-self-hosted-workers',
    summary: "Self-hosted workers of the caller's team that were heard from lately.",
    source: 'interface.md 4.1',
    callers: TEAM,
    answer: listWorkersResponse,
  }),
  all: endpoint({
    method: 'GET',
    path: '/agent/workers',
    summary: 'Every worker that takes runs of the team, with its room and what it works on.',
    source: 'interface.md 4.1',
    ours: true,
    callers: TEAM,
    answer: listAllWorkersResponse,
  }),
};

const statistics = {
  read: endpoint({
    method: 'GET',
    path: '/agent/statistics',
    summary: 'How many runs of the team ended how, how long they took and what they cost.',
    source: 'interface.md 4.10',
    ours: true,
    callers: TEAM,
    query: statisticsQuery,
    answer: statisticsResponse,
    errors: ['invalid_request'],
  }),
};

const description = {
  openapi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description of the interface.',
    source: 'interface.md 9',
    callers: ANYONE,
    answer: z.record(z.string(), z.unknown()),
  }),
};

/** Every endpoint except those of runs and workers; part of the one table. */
export const resourceEndpoints = {
  schedules,
  artifacts,
  identities,
  scores,
  skills,
  models,
  workers,
  statistics,
  description,
} as const satisfies Record<string, Record<string, Endpoint>>;
