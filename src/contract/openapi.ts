import { listEndpoints } from './endpoints.ts';
import { WAIT_MAX_SECONDS, isKeyed, type Endpoint } from './endpoint.ts';
import { LEASE_HEADER, SENT_AT_HEADER } from './lease.ts';
import examples from './openapi-examples.json' with { type: 'json' };
import {
  PROBLEM_REFERENCE,
  componentSchemas,
  querySchemas,
  schemaReference,
} from './openapi-schemas.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './problem.ts';

type Json = Record<string, unknown>;
interface Example {
  request?: unknown;
  response?: unknown;
}

const TAGS: Record<string, string> = {
  runs: 'Start, follow, steer and read agent runs.',
  conversations: 'What an agent said and did, in normalised form.',
  environments: 'Where runs work.',
  harness: 'What a running agent reports of itself.',
  worker: 'How workers take runs under a lease and report on them.',
  schedules: 'Agents that start on a cron expression.',
  artifacts: 'Plans and files that runs leave behind.',
  identities: 'Agents of a team, which runs can execute as.',
  scores: 'Verdicts of judge runs.',
  skills: 'Agents that repositories define.',
  models: 'Models that runs may name.',
  workers: 'Self-hosted workers that are connected.',
  access: 'Who a key speaks for, and keys for command lines.',
  keys: 'Keys, made and revoked over the network.',
  members: 'People of a team and what they may do.',
  signIns: 'Browsers that are signed in.',
  audit: 'Who did what.',
  statistics: 'Where time and money went.',
  description: 'This description.',
};

const asJson = (schema: Json, example: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

/** Version of the interface, not of this package; raised when something is added to it. */
const INTERFACE_VERSION = '1.0.0';

/** The OpenAPI description (interface.md 9), generated from the endpoint table. */
export function openapiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Runlink',
      version: INTERFACE_VERSION,
      summary: 'Start, follow and manage cloud agent runs.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1', description: 'The service that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, made in the settings. It works in the team it was made for: `X-Warp-Team-Uid`, if sent with a personal key, must name that team.',
        },
      },
    },
  };
}

function parameter(
  name: string,
  place: 'path' | 'header',
  schema: Json,
  description: string,
): Json {
  return { name, in: place, required: place === 'path', description, schema };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter(
      name,
      'path',
      { type: 'string' },
      `Identifier of the ${name.replace(/(Id|Uid|_id|uid)$/, '') || 'agent'}.`,
    ),
  );
}

function queryParameters({ query }: Endpoint): Json[] {
  if (!query) return [];
  return querySchemas(query).map(({ name, schema, required }) => ({
    name,
    in: 'query',
    required,
    schema,
    ...(schema['type'] === 'object' ? { style: 'deepObject', explode: true } : {}),
  }));
}

function headerParameters(id: string, endpoint: Endpoint): Json[] {
  const text = { type: 'string' };
  const { path } = endpoint;
  return [
    ...(endpoint.waits
      ? [
          parameter(
            'Prefer',
            'header',
            text,
            `\`wait=N\`: hold the answer up to N seconds, at most ${WAIT_MAX_SECONDS}.`,
          ),
          ...(endpoint.method === 'GET'
            ? [
                parameter(
                  'If-None-Match',
                  'header',
                  text,
                  'With `Prefer`: answer once the entity tag is another.',
                ),
              ]
            : []),
        ]
      : []),
    ...(path.startsWith('/worker/runs/')
      ? [
          parameter(LEASE_HEADER, 'header', text, "Token of the worker's lease on the run."),
          parameter(
            SENT_AT_HEADER,
            'header',
            { type: 'string', format: 'date-time' },
            "The worker's clock now: its times are corrected by the difference.",
          ),
        ]
      : []),
    ...(endpoint.once
      ? [
          parameter(
            'Idempotency-Key',
            'header',
            text,
            'Same key and body, same answer; same key, other body, 409.',
          ),
        ]
      : []),
    ...(id.startsWith('runs.create')
      ? [parameter('X-Oz-Api-Source', 'header', text, 'What the run is said to come from.')]
      : []),
    ...(id.startsWith('harness.')
      ? [
          parameter(
            'X-Warp-Cloud-Agent-ID',
            'header',
            text,
            'The run that reports, where the key is not its own.',
          ),
        ]
      : []),
  ];
}

function success(id: string, endpoint: Endpoint, example: unknown): Json {
  switch (endpoint.answer) {
    case 'redirect': {
      const Location = {
        description: 'Where to go on.',
        schema: { type: 'string', format: 'uri-reference' },
      };
      return { description: 'Redirect.', headers: { Location } };
    }
    case 'empty':
      return { description: 'Done.' };
    case 'stream': {
      const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
      return { description: 'The content.', content: { 'application/octet-stream': { schema } } };
    }
    default:
      return {
        description: 'Success.',
        content: asJson(schemaReference(endpoint.answer, id, 'Response'), example),
      };
  }
}

function failures(endpoint: Endpoint): Record<string, Json> {
  const always: ErrorCode[] = [
    ...(isKeyed(endpoint) ? (['authentication_required', 'not_authorized'] as const) : []),
    'invalid_request',
    'internal_error',
    'service_unavailable',
  ];
  const codes = [...new Set([...always, ...endpoint.errors])];
  const byStatus = Map.groupBy(codes, (code) => ERROR_CATALOGUE[code].status);
  const content = { 'application/problem+json': { schema: PROBLEM_REFERENCE } };
  const stated = [...byStatus].map(([status, list]): [string, Json] => {
    const codes = list.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}`);
    return [String(status), { description: codes.join(' '), content }];
  });
  const other = { description: 'Any other refusal, such as one of a proxy on the way.', content };
  return { ...Object.fromEntries(stated), default: other };
}

function requestBody(id: string, endpoint: Endpoint, example: unknown): Json {
  if (endpoint.bodyKind === 'stream') {
    const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
    return {
      requestBody: { required: true, content: { 'application/octet-stream': { schema } } },
    };
  }
  if (!endpoint.body) return {};
  const content = asJson(schemaReference(endpoint.body, id, 'Request'), example);
  return { requestBody: { required: endpoint.bodyOptional !== true, content } };
}

/** Which keys may call an endpoint, in words. */
function describeCallers({ callers }: Endpoint): string {
  const kinds = callers.filter((caller) => caller !== 'anyone');
  return kinds.length === 0 ? '' : ` Keys that may call: ${kinds.join(', ')}.`;
}

function security(endpoint: Endpoint): Json[] {
  if (!isKeyed(endpoint)) return [];
  return endpoint.callers.includes('anyone') ? [{ bearer: [] }, {}] : [{ bearer: [] }];
}

/** Whether an endpoint is public or ours, and where it is described. */
function describeOrigin({ ours, source }: Endpoint): string {
  const section = `docs/design/${source}`;
  return ours ? `An addition of Runlink (${section}).` : `Public interface (${section}).`;
}

function operation(id: string, endpoint: Endpoint): Json {
  const example = (examples as Record<string, Example>)[id] ?? {};
  const answer = success(id, endpoint, example.response);
  return {
    operationId: id.replace('.', '_'),
    tags: [id.split('.')[0]],
    summary: endpoint.summary,
    description: describeOrigin(endpoint) + describeCallers(endpoint),
    ...(endpoint.deprecated ? { deprecated: true } : {}),
    security: security(endpoint),
    parameters: [
      ...pathParameters(endpoint.path),
      ...queryParameters(endpoint),
      ...headerParameters(id, endpoint),
    ],
    ...requestBody(id, endpoint, example.request),
    responses: {
      [String(endpoint.status)]: answer,
      ...(endpoint.alsoStatus ? { [String(endpoint.alsoStatus)]: answer } : {}),
      ...(endpoint.waits && endpoint.method === 'GET'
        ? { '304': { description: 'Nothing changed while waiting.' } }
        : {}),
      ...failures(endpoint),
    },
  };
}

function paths(): Json {
  const table: Record<string, Json> = {};
  for (const { id, endpoint } of listEndpoints())
    (table[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(id, endpoint);
  return table;
}
