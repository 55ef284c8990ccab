import { agentConfig } from './agent-config.ts';
import { artifactItem, artifactResponse } from './artifact.ts';
import { contentBlock, message, step } from './conversation.ts';
import { listEndpoints } from './endpoints.ts';
import { environment } from './environment.ts';
import { workerEvent } from './event.ts';
import { identity } from './identity.ts';
import { lease, signal } from './lease.ts';
import { model } from './model.ts';
import { pageInfo, scope, userProfile } from './primitives.ts';
import { problem } from './problem.ts';
import { runItem } from './run.ts';
import { schedule } from './schedule.ts';
import { skillDiscovery, skillItem } from './skill.ts';
import { timelineEvent } from './timeline.ts';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** Shapes that are used more than once, with their published names. */
const NAMED = {
  AgentConfig: agentConfig,
  Artifact: artifactResponse,
  ArtifactItem: artifactItem,
  ContentBlock: contentBlock,
  Environment: environment,
  Identity: identity,
  Lease: lease,
  Message: message,
  Model: model,
  PageInfo: pageInfo,
  Problem: problem,
  Run: runItem,
  Schedule: schedule,
  Scope: scope,
  Signal: signal,
  Skill: skillItem,
  SkillDiscovery: skillDiscovery,
  Step: step,
  TimelineEvent: timelineEvent,
  UserProfile: userProfile,
  WorkerEvent: workerEvent,
} satisfies Record<string, z.ZodType>;

const REFERENCE = '#/components/schemas/';

const pascal = (id: string): string =>
  id.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A reference to the schema of an operation's body or answer. */
export function schemaReference(
  schema: z.ZodType,
  operation: string,
  kind: 'Request' | 'Response',
): Json {
  return { $ref: REFERENCE + nameOf(schema, operation, kind) };
}

export const PROBLEM_REFERENCE = { $ref: `${REFERENCE}Problem` };

/** The JSON schema of each field of a query. */
export function querySchemas(
  query: z.ZodObject,
): { name: string; schema: Json; required: boolean }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, {
    io: 'input',
    override: plain,
  });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: typeof schema === 'object' ? { ...schema } : {},
    required: required.includes(name),
  }));
}

/** Every schema of the description: bodies as they are received, everything else as it is sent. */
export function componentSchemas(): Record<string, Json> {
  const requests: Record<string, z.ZodType> = {};
  const answers: Record<string, z.ZodType> = {};
  for (const { id, endpoint } of listEndpoints()) {
    const { body, answer } = endpoint;
    if (body) requests[nameOf(body, id, 'Request')] = body;
    if (typeof answer === 'object') answers[nameOf(answer, id, 'Response')] = answer;
  }
  const all = {
    ...published({ ...NAMED, ...requests }, 'input'),
    ...published({ ...NAMED, ...answers }, 'output'),
  };
  return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Removes what zod adds for itself: bounds of safe integers, closed objects. */
function plain(context: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { jsonSchema } = context;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function published(named: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const uri = (id: string): string => REFERENCE + id;
  const { schemas } = z.toJSONSchema(registry, { io, uri, override: plain });
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas;
}

/** The published name of a schema: its shared name, or one made from its operation. */
function nameOf(schema: z.ZodType, operation: string, kind: 'Request' | 'Response'): string {
  const shared = Object.entries(NAMED).find(([, value]) => value === schema);
  return shared?.[0] ?? `${pascal(operation)}${kind}`;
}
