import type { ModelProtocol } from '../profile/profile.ts';

/** `counted`: the answer says how many tokens the call used. `free`: it uses none. */
export type Metering = 'counted' | 'free';

interface KnownCall {
  method: 'GET' | 'POST';
  /** Path below the model's base address. */
  path: RegExp;
  metering: Metering;
}

/**
 * The calls that an agent needs, by the provider's protocol. All others are refused, because the
 * same key also opens files, batches, other people's stored answers and the administration of the
 * account (threats.md S19).
 */
const CALLS: Readonly<Record<ModelProtocol, readonly KnownCall[]>> = {
  anthropic: [
    { method: 'POST', path: /^\/v1\/messages$/, metering: 'counted' },
    { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, metering: 'free' },
    { method: 'GET', path: /^\/v1\/models(?:\/[\w.:-]+)?$/, metering: 'free' },
  ],
  openai: [
    { method: 'POST', path: /^\/responses(?:\/compact)?$/, metering: 'counted' },
    { method: 'POST', path: /^\/chat\/completions$/, metering: 'counted' },
    { method: 'GET', path: /^\/models(?:\/[\w.:-]+)?$/, metering: 'free' },
  ],
  gemini: [
    {
      method: 'POST',
      path: /^\/v1(?:alpha|beta)?\/models\/[\w.-]+:(?:generateContent|streamGenerateContent)$/,
      metering: 'counted',
    },
    {
      method: 'POST',
      path: /^\/v1(?:alpha|beta)?\/models\/[\w.-]+:countTokens$/,
      metering: 'free',
    },
    { method: 'GET', path: /^\/v1(?:alpha|beta)?\/models(?:\/[\w.-]+)?$/, metering: 'free' },
  ],
};

/**
 * The query parameters that are passed on: `alt=sse` asks Gemini for a stream, `beta` belongs to
 * Anthropic, the others are for paging.
 */
const QUERY: ReadonlySet<string> = new Set([
  'alt',
  'beta',
  'limit',
  'after_id',
  'before_id',
  'pageSize',
  'pageToken',
]);

/**
 * The headers that are passed on. They describe the call, but cannot name another project or
 * replace the method.
 */
const HEADERS =
  /^(?:accept|content-type|user-agent|anthropic-(?:version|beta|dangerous-direct-browser-access)|openai-beta|x-app|x-stainless-[\w-]+|x-goog-api-client|originator|session_id|conversation_id|x-codex-[\w-]+)$/;

/**
 * How a call is metered; undefined for a call that no agent needs. `basePath` ends without a slash.
 */
export function meteringOf(
  protocol: ModelProtocol,
  method: string,
  { pathname }: URL,
  basePath: string,
): Metering | undefined {
  if (!pathname.startsWith(basePath)) return undefined;
  const path = pathname.slice(basePath.length);
  return CALLS[protocol].find((call) => call.method === method && call.path.test(path))?.metering;
}

/** The part of a call's query that is passed on. */
export function passedQuery({ searchParams }: URL): string {
  const kept = [...searchParams].filter(([name]) => QUERY.has(name));
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`;
}

/** The headers of a call that are passed on. */
export function passedHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => HEADERS.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
