import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { codeOfStatus, ServiceProblem, UnreadableAnswer, type CallContext } from './error.ts';
import { headerText, readRetryAfterMs, readShouldRetry } from './retry.ts';

/** Statuses after which a retry may help even if the body does not say so. */
const PASSING = new Set([408, 409, 429]);
/** Longest part that is kept of an error text that is no problem document. */
const DETAIL_MAX = 300;

const problemRead = z.looseObject({
  type: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  error_code: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  field: z.string().optional().catch(undefined),
  trace_id: z.string().optional().catch(undefined),
  retryable: z.boolean().optional().catch(undefined),
});

/** An answer of the service before it is parsed. */
export interface RawAnswer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

/** The error for a failed answer, whatever its body is. */
export function readProblem(answer: RawAnswer, context: CallContext, now: number): ServiceProblem {
  const body = problemRead.safeParse(readJson(answer.text)).data ?? {};
  const { status, headers } = answer;
  const code = body.error_code ?? codeOfType(body.type) ?? codeOfStatus(status);
  return new ServiceProblem(
    {
      status,
      code,
      title: body.title ?? body.error?.slice(0, DETAIL_MAX) ?? `HTTP status ${status}`,
      detail: body.detail,
      field: body.field,
      traceId: body.trace_id,
      retryable:
        readShouldRetry(headers) ?? body.retryable ?? (status >= 500 || PASSING.has(status)),
      retryAfterMs: readRetryAfterMs(headers, now),
    },
    context,
  );
}

/** The value of a successful answer, parsed by the endpoint's schema. Throws `UnreadableAnswer`. */
export function readValue(endpoint: Endpoint, answer: RawAnswer, context: CallContext): unknown {
  const schema = endpoint.accept ?? endpoint.answer;
  if (typeof schema === 'string') return undefined;
  const isJson = /[/+]json\b/i.test(headerText(answer.headers, 'content-type') ?? '');
  const json = answer.text === '' ? undefined : readJson(answer.text);
  const garbled = answer.text !== '' && json === undefined;
  if (garbled && isJson) {
    const reason = `its ${answer.text.length} characters are not JSON`;
    throw new UnreadableAnswer(context, { reason, garbled, status: answer.status });
  }
  const parsed = schema.safeParse(garbled ? answer.text : json);
  if (parsed.success) return parsed.data;
  throw new UnreadableAnswer(context, {
    reason: garbled ? 'it is not JSON' : firstIssue(parsed.error),
    garbled,
    status: answer.status,
  });
}

function firstIssue(error: z.core.$ZodError): string {
  const issue = error.issues[0];
  const where = issue?.path.map(String).join('.');
  return where ? `${where}: ${issue?.message}` : (issue?.message ?? 'unknown shape');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The code in the last segment of `type`, for bodies without `error_code` (interface.md 7.1). */
function codeOfType(type: string | undefined): string | undefined {
  const segment = type?.split('/').at(-1)?.replaceAll('-', '_');
  return segment && /^[a-z][a-z_]{2,}$/.test(segment) ? segment : undefined;
}
