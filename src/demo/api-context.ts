import type { components } from '@octokit/openapi-types';
import type { Context } from 'hono';
import type { StandInActor } from './actor.ts';
import type { StandInContext } from './context.ts';
import { correct, isFields, noteTimes, asText } from './corrections.ts';
import type { EventIntake } from './intake.ts';
import { renderAsGithub } from './markdown.ts';

const DOCS = 'https://docs.github.com/rest';

type BasicError = components['schemas']['basic-error'];
type ValidationError = components['schemas']['validation-error'];

/** Longest body of an issue, comment, pull request or review, in characters. */
export const BODY_MAX = 65_536;
/** Longest summary or text of a check run. */
export const GITHUB_CHECK_TEXT_MAX = 65_535;

/** What the routes know about a request besides the request itself. */
export interface ApiEnv {
  Bindings: {
    actor: StandInActor;
    /** When the request was first made. */
    at: string;
    /** The request is replayed from an earlier process. */
    replay: boolean;
  };
}
export type ApiContext = Context<ApiEnv>;

/** What all routes of the API share. */
export interface StandInApi {
  context: StandInContext;
  intake: EventIntake;
  /** Asks the emulator and corrects its response. */
  forward(c: ApiContext, change?: { path?: string; body?: unknown }): Promise<Response>;
}

export const errorAnswer = (status: number, message: string): Response =>
  Response.json(basicError(message, status), { status });

export const invalid = (error: {
  resource?: string;
  field?: string;
  code: string;
  message?: string;
}): Response => Response.json(validationError([error]), { status: 422 });

/** The JSON body of a request, or an empty object. */
export async function bodyFields(c: ApiContext): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  return isFields(body) ? body : {};
}

/** Forwards the request to the emulator, as the same caller, and corrects the response. */
export async function forwardToEmulator(
  context: StandInContext,
  c: ApiContext,
  change: { path?: string; body?: unknown },
): Promise<Response> {
  const { actor, at } = c.env;
  const { method } = c.req;
  const url = new URL(c.req.url);
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'DELETE';
  const body = change.body ?? (hasBody ? await bodyFields(c) : undefined);
  if (hasBody) context.state.asked = { at, began: new Date().toISOString() };
  const path = change.path ?? url.pathname + url.search;
  const answer = await context.upstream.send(actor, method, path, body);
  if (hasBody) noteTimes(answer.body, context.state);
  const { status, headers } = answer;
  if (answer.body === undefined) return new Response(null, { status, headers });
  if (typeof answer.body === 'string') return new Response(answer.body, { status, headers });
  const item = correct(answer.body, context.state);
  return Response.json(
    isDrawn(c, item) ? { ...item, body_html: renderAsGithub(asText(item['body'])) } : item,
    { status, headers },
  );
}

/** Whether the caller also wants a text as HTML, by the `full` media type. */
function isDrawn(c: ApiContext, item: unknown): item is Record<string, unknown> {
  const accepts = c.req.header('accept') ?? '';
  return accepts.includes('.full+json') && isFields(item) && 'body' in item;
}

function basicError(message: string, status: number): BasicError {
  return { message, documentation_url: DOCS, status: String(status) };
}

function validationError(error: ValidationError['errors']): ValidationError {
  return { message: 'Validation Failed', documentation_url: DOCS, errors: error ?? [] };
}
