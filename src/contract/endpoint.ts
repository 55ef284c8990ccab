import type { z } from 'zod';
import type { ErrorCode } from './problem.ts';
import type { Role } from './role.ts';

/** The kinds of keys: of a person, an agent, a job of a workflow, a worker, one execution of a run. */
export const KEY_KINDS = ['personal', 'agent', 'workflow', 'worker', 'run'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Who may call an endpoint: keys of these kinds; `anyone` also without a key. */
export type Caller = KeyKind | 'anyone';

export const PERSON = ['personal'] as const;
/** Those whose keys last: what they make may go on without them. */
export const LASTING = ['personal', 'agent'] as const;
export const TEAM = [...LASTING, 'workflow'] as const;
export const TEAM_OR_RUN = [...TEAM, 'run'] as const;
/** Takes runs and reports on them, and may do nothing else (threats.md S18). */
export const WORKER = ['worker'] as const;
export const RUN = ['run'] as const;
/** A key is not needed; one that is sent must be good. */
export const READERS = ['anyone', ...TEAM] as const;
/** No key is looked at. */
export const ANYONE = ['anyone'] as const;

/** What most endpoints of runs have in common, and those of workers. */
export const OF_RUNS = { source: 'interface.md 4.2', callers: TEAM } as const;
export const BY_WORKER = { source: 'interface.md 4.7', ours: true, callers: WORKER } as const;

/** An answer: a JSON schema, or what is sent instead of JSON. */
export type Answer = z.ZodType | 'redirect' | 'empty' | 'stream';

/** Everything both sides need to know of one endpoint. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, which ends with `/v1`; `{name}` marks a path parameter. */
  path: string;
  summary: string;
  /** The section of the interface that describes it. */
  source: `interface.md ${string}`;
  /** An addition of Runlink: services that speak only the public interface do not have it. */
  ours?: boolean;
  callers: readonly Caller[];
  /** Which role people need at least; where absent, readers may GET and members do the rest. */
  role?: Role;
  /** With a run's own key: the run in the path is another one, and the endpoint checks that it may be. */
  ofOtherRun?: boolean;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** A body may be left out altogether. */
  bodyOptional?: boolean;
  /** `stream`: the raw request body is content, not JSON. */
  bodyKind?: 'json' | 'stream';
  maxBodyBytes?: number;
  /** Of success. */
  status: number;
  /** A second status of success: 206 when only some parts were accepted. */
  alsoStatus?: number;
  answer: Answer;
  /** What a client accepts, where other services may send less or more than ours. */
  accept?: z.ZodType;
  /** What this endpoint answers with besides 401, 500 and the refusals of a body. */
  errors: readonly ErrorCode[];
  /** Honours `Prefer: wait=N` (run-lifecycle.md, "Waiting"). */
  waits?: boolean;
  /** A second identical POST or PATCH has no further effect, so a client may repeat it by itself, as it does GET and PUT. */
  idempotent?: boolean;
  /** Honours `Idempotency-Key` (interface.md 6.5). */
  once?: boolean;
  deprecated?: boolean;
}

/** Body cap where an endpoint names none: 1 MiB (threats.md S9). */
export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;
/** Body cap of endpoints that take a prompt. */
export const PROMPT_MAX_BODY_BYTES = 8 * 1024 * 1024;
/** What any endpoint with a JSON body may answer. */
const BODY_ERRORS = [
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];
/** Longest `Prefer: wait` that is honoured (run-lifecycle.md, "Waiting"). */
export const WAIT_MAX_SECONDS = 25;

/** Names of the path parameters of `Path`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

/** Whether a key is looked at. */
export function isKeyed({ callers }: Pick<Endpoint, 'callers'>): boolean {
  return callers.some((caller) => caller !== 'anyone');
}

/** Which role in the team an endpoint needs. */
export function leastRole({ method, role }: Pick<Endpoint, 'method' | 'role'>): Role {
  return role ?? (method === 'GET' ? 'reader' : 'member');
}

type Success = Pick<Endpoint, 'status' | 'errors'>;

/** An endpoint of the table; one with a body also answers with what any body may be refused for. */
export function endpoint<const E extends Omit<Endpoint, keyof Success> & Partial<Success>>(
  definition: E,
): E & Success {
  const {
    answer,
    body,
    errors = [],
    status = USUAL[typeof answer === 'string' ? answer : 'json'],
  } = definition;
  return { ...definition, status, errors: body ? [...BODY_ERRORS, ...errors] : errors };
}

/** The status of success where an endpoint names none. */
const USUAL = { json: 200, stream: 200, empty: 204, redirect: 302 };

/** The path with its parameters filled in, percent-encoded. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
