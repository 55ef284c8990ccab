import type { z } from 'zod';
import type { ErrorCode } from './problem.ts';
import type { Role } from './role.ts';

/**
 * The kinds of keys: of a person, an agent, a workflow's job, a worker, or one execution of a run.
 */
export const KEY_KINDS = ['personal', 'agent', 'workflow', 'worker', 'run'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Who may call an endpoint: keys of these kinds; `anyone` needs no key. */
export type Caller = KeyKind | 'anyone';

export const PERSON = ['personal'] as const;
/** Kinds whose keys last, so that what they make may outlive the call. */
export const LASTING = ['personal', 'agent'] as const;
export const TEAM = [...LASTING, 'workflow'] as const;
export const TEAM_OR_RUN = [...TEAM, 'run'] as const;
/** Workers claim runs and report on them, and may do nothing else (threats.md S18). */
export const WORKER = ['worker'] as const;
export const RUN = ['run'] as const;
/** No key is needed, but one that is sent must be valid. */
export const READERS = ['anyone', ...TEAM] as const;
/** Keys are ignored. */
export const ANYONE = ['anyone'] as const;

/** What most endpoints of runs, and those of workers, have in common. */
export const OF_RUNS = { source: 'interface.md 4.2', callers: TEAM } as const;
export const BY_WORKER = { source: 'interface.md 4.7', ours: true, callers: WORKER } as const;

/** An answer: a JSON schema, or the kind of answer that is sent instead of JSON. */
export type Answer = z.ZodType | 'redirect' | 'empty' | 'stream';

/** What server and client need to know about one endpoint. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, which ends with `/v1`; `{name}` marks a path parameter. */
  path: string;
  summary: string;
  /** The section of the interface that describes it. */
  source: `interface.md ${string}`;
  /** Runlink's own addition: services that speak only the public interface lack it. */
  ours?: boolean;
  callers: readonly Caller[];
  /**
   * The least role that a person needs. Default: readers may GET, members may do everything else.
   */
  role?: Role;
  /** A run's own key may call this for other runs; the endpoint checks which. */
  ofOtherRun?: boolean;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The body may be left out. */
  bodyOptional?: boolean;
  /** `stream`: the raw request body is content, not JSON. */
  bodyKind?: 'json' | 'stream';
  maxBodyBytes?: number;
  /** Of success. */
  status: number;
  /** A second status of success: 206 when only some parts were accepted. */
  alsoStatus?: number;
  answer: Answer;
  /** What a client accepts, if other services may send less or more than ours. */
  accept?: z.ZodType;
  /** The errors of this endpoint, besides 401, 500 and those of every body. */
  errors: readonly ErrorCode[];
  /** Honours `Prefer: wait=N` (run-lifecycle.md, "Waiting"). */
  waits?: boolean;
  /**
   * A repeated identical POST or PATCH has no further effect, so a client may retry it by itself,
   * as it does GET and PUT.
   */
  idempotent?: boolean;
  /** Honours `Idempotency-Key` (interface.md 6.5). */
  once?: boolean;
  deprecated?: boolean;
}

/** Body limit of endpoints that name none: 1 MiB (threats.md S9). */
export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;
/** Body limit of endpoints that take a prompt. */
export const PROMPT_MAX_BODY_BYTES = 8 * 1024 * 1024;
/** The errors of every endpoint with a JSON body. */
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

/** Whether the endpoint checks keys. */
export function isKeyed({ callers }: Pick<Endpoint, 'callers'>): boolean {
  return callers.some((caller) => caller !== 'anyone');
}

/** The least role that an endpoint needs. */
export function leastRole({ method, role }: Pick<Endpoint, 'method' | 'role'>): Role {
  return role ?? (method === 'GET' ? 'reader' : 'member');
}

type Success = Pick<Endpoint, 'status' | 'errors'>;

/** An endpoint for the table; one with a body gets the errors of every body. */
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

/** The status of success if an endpoint names none. */
const USUAL = { json: 200, stream: 200, empty: 204, redirect: 302 };

/** The path with its parameters filled in, percent-encoded. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
