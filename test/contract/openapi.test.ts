import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { openapiDocument } from '../../src/contract/openapi.ts';

const root = new URL('../../', import.meta.url);
const document = `${JSON.stringify(openapiDocument(), null, 2)}\n`;

/** Method and path of everything interface.md 4 names. */
const INTERFACE = `
GET /agent
GET /agent/connected-self-hosted-workers
GET /agent/environments
GET /agent/models
POST /agent/run
POST /agent/runs
GET /agent/runs
GET /agent/runs/{runId}
GET /agent/runs/{runId}/transcript
GET /agent/runs/{runId}/timeline
GET /agent/runs/{runId}/conversation
POST /agent/runs/{runId}/cancel
POST /agent/runs/{runId}/followups
GET /agent/run-by-external-reference
POST /agent/runs/{runId}/scores
GET /agent/conversations/{conversationId}
POST /agent/schedules
GET /agent/schedules
GET /agent/schedules/{scheduleId}
PUT /agent/schedules/{scheduleId}
DELETE /agent/schedules/{scheduleId}
POST /agent/schedules/{scheduleId}/pause
POST /agent/schedules/{scheduleId}/resume
GET /agent/artifacts/{artifactUid}
GET /agent/artifacts/{artifactUid}/download
POST /agent/identities
GET /agent/identities
GET /agent/identities/{uid}
PUT /agent/identities/{uid}
DELETE /agent/identities/{uid}
POST /harness-support/report-artifact
GET /openapi.json`
  .trim()
  .split('\n');

describe('the endpoint table', () => {
  const routes = listEndpoints().map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);

  it('has every endpoint of interface.md 4, 9', () => {
    expect(INTERFACE.filter((route) => !routes.includes(route))).toEqual([]);
  });

  it('has none twice', () => {
    expect(routes.toSorted()).toEqual([...new Set(routes)].toSorted());
  });
});

describe('openapi.json (interface.md 9)', () => {
  it('is committed as the table makes it (update: npm run generate)', async () => {
    await expect(document).toMatchFileSnapshot(fileURLToPath(new URL('docs/openapi.json', root)));
  });

  it('lints clean', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({
      source: document,
      absoluteRef: 'openapi.json',
      config,
    });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('has an operation for each endpoint and nothing else', () => {
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(JSON.parse(document));
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = listEndpoints().map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
    expect(operations.toSorted()).toEqual(routes.toSorted());
  });
});
