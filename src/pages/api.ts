import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { RunlinkError } from '../base/error.ts';
import { fillPath, type Endpoint } from '../contract/endpoint.ts';
import { ProblemError, errorCodes } from '../contract/problem.ts';
import { encodeQuery, type QueryValue } from '../contract/query-codec.ts';
import type { Guest, PagesBackend, Session } from './backend.ts';

const API_BASE = '/api/v1';
const problemRead = z.looseObject({
  error_code: z.enum(errorCodes),
  title: z.string().optional(),
  detail: z.string().optional(),
});

interface Call {
  params?: Record<string, string>;
  query?: Record<string, QueryValue>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Seconds to wait, for endpoints that can. */
  wait?: number;
  /** ETag that the caller has: the wait ends as soon as there is a newer one. */
  etag?: string;
  signal?: AbortSignal;
}

/** Calls the service's endpoints for one reader, inside this process. */
export interface Api {
  /** The raw response, for redirects. Throws ProblemError. */
  send(endpoint: Endpoint, call?: Call): Promise<Response>;
  /** The parsed response. Throws ProblemError. */
  json<Schema extends z.ZodType>(
    endpoint: Endpoint & { answer: Schema },
    call?: Call,
  ): Promise<z.output<Schema>>;
}

export function apiFor(backend: PagesBackend, reader: Session | Guest): Api {
  const send: Api['send'] = async (endpoint, call = {}) => {
    const response = await backend.api(toRequest(endpoint, call, backend.publicUrl), reader);
    if (response.status >= 400) throw await refusal(response);
    return response;
  };
  return {
    send,
    json: async (endpoint, call) => {
      return endpoint.answer.parse(await readAnswer(await send(endpoint, call)));
    },
  };
}

/** What begins a terminal's control sequence, as JSON has it. */
const CONTROL = /\\u001b|\u009b/i;
/** Fields that a terminal's colours are shown of. */
const COLOURED = new Set(['output', 'output_delta']);

/** An answer without control sequences: no page shows those of titles, names and messages. */
export async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!CONTROL.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === 'string' && !COLOURED.has(key) ? stripVTControlCharacters(value) : value,
  );
}

function toRequest(endpoint: Endpoint, call: Call, publicUrl: string): Request {
  const url = new URL(API_BASE + fillPath(endpoint.path, call.params ?? {}), publicUrl);
  url.search = encodeQuery(call.query ?? {}).toString();
  const headers = new Headers(call.headers);
  if (call.wait !== undefined) headers.set('prefer', `wait=${call.wait}`);
  if (call.etag !== undefined) headers.set('if-none-match', call.etag);
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  return new Request(url, {
    method: endpoint.method,
    headers,
    redirect: 'manual',
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(call.signal ? { signal: call.signal } : {}),
  });
}

async function refusal(response: Response): Promise<Error> {
  const answer = problemRead.safeParse(await response.json().catch(() => null));
  if (!answer.success) {
    return new RunlinkError('bad_answer', `The service answered ${response.status}.`);
  }
  const { error_code, title, detail } = answer.data;
  return new ProblemError(error_code, {
    ...(title === undefined ? {} : { title }),
    ...(detail === undefined ? {} : { detail }),
  });
}
