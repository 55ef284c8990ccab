import { hash } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import type { Topic } from '../waiting/changes.ts';
import { enterWait } from '../waiting/wait-slots.ts';
import { jsonAnswer } from './answer.ts';

interface ConditionalCall {
  request: Request;
  caller: TeamPrincipal;
  waitSeconds: number | undefined;
}

interface Seen {
  text: string;
  etag: string;
}

/** Reads that have not started yet, by reader and resource. */
const beginning = new Map<string, Promise<Seen>>();

/**
 * Answers a GET with an ETag. With `Prefer: wait=N` and `If-None-Match` the request is held until
 * the answer differs or N seconds have passed (run-lifecycle.md, "Waiting").
 */
export async function conditionalAnswer(
  { changes }: Pick<ServiceContext, 'changes'>,
  { request, caller, waitSeconds }: ConditionalCall,
  topics: readonly Topic[],
  load: () => Promise<unknown>,
): Promise<Response> {
  const tags = knownTags(request);
  const mayWait = waitSeconds !== undefined && request.headers.has('if-none-match');
  const look = (): Promise<Seen> => together(`${caller.keyId} ${request.url}`, load);
  const first = await look();
  if (!mayWait || !isKnown(tags, first.etag))
    return reply(first, tags, waitSeconds === undefined ? {} : preferenceApplied(waitSeconds));
  const leave = enterWait(caller.keyId);
  if (!leave) return reply(first, tags, {});
  try {
    const options = { seconds: waitSeconds, signal: request.signal };
    const changed = await changes.waitFor(topics, options, async () => {
      const now = await look();
      return isKnown(tags, now.etag) ? undefined : now;
    });
    return reply(changed ?? first, tags, preferenceApplied(waitSeconds));
  } finally {
    leave();
  }
}

export function preferenceApplied(waitSeconds: number): Record<string, string> {
  return { 'preference-applied': `wait=${waitSeconds}` };
}

/** A plain JSON answer to a request that may have waited. */
export function waitedAnswer(body: unknown, waitSeconds: number | undefined): Response {
  return jsonAnswer(body, 200, waitSeconds === undefined ? {} : preferenceApplied(waitSeconds));
}

/**
 * Does one read for all requests for the same resource in one turn of the event loop, such as those
 * that were woken together.
 */
async function together(what: string, load: () => Promise<unknown>): Promise<Seen> {
  const known = beginning.get(what);
  if (known) return known;
  const look = immediate().then(async () => {
    beginning.delete(what);
    return seen(await load());
  });
  beginning.set(what, look);
  return look;
}

function seen(body: unknown): Seen {
  const text = JSON.stringify(body);
  return { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"` };
}

/**
 * The caller's tags. Lists and weak tags count too, because GET compares weakly (RFC 9110 13.1.2).
 */
function knownTags(request: Request): string[] {
  const header = request.headers.get('if-none-match') ?? '';
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

function isKnown(tags: readonly string[], etag: string): boolean {
  return tags.includes(etag) || tags.includes('*');
}

function reply(body: Seen, tags: readonly string[], applied: Record<string, string>): Response {
  const headers = { etag: body.etag, 'cache-control': 'no-store', ...applied };
  if (isKnown(tags, body.etag)) return new Response(null, { status: 304, headers });
  return new Response(body.text, {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
