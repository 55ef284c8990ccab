import * as fc from 'fast-check';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { LEASE_HEADER } from '../../src/contract/lease.ts';

/** What an endpoint would take, before it is spoilt. */
export interface Route {
  id: string;
  endpoint: Endpoint;
  body: unknown;
  query: string;
}

/** A request that may be wrong in any way. */
export interface HostileRequest {
  id: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Stands for the token of a lease that is held. */
export const LIVE_LEASE = 'live';

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** JSON texts that schemas, columns and parsers tend to trip over. */
const hostileJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '""',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '-1',
    '0',
    '1e400',
    '-1e400',
    '2147483648',
    '9007199254740991',
    '9007199254740993',
    '1.5',
    '[]',
    '{}',
    '{"__proto__": {"a": 1}}',
    '{"constructor": null, "toString": 1}',
    '"00000000-0000-0000-0000-000000000000"',
    '"2026-13-45T99:00:00Z"',
    '"0000-01-01T00:00:00Z"',
    '"2026-01-01T00:00:00+23:00"',
    '"\'; drop table runs; --"',
    '"../../etc/passwd"',
    JSON.stringify('😀'.repeat(700)),
    JSON.stringify('x'.repeat(70_000)),
    deep(30),
    deep(500),
  ),
  fc.json({ noUnicodeString: false }),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    '%00',
    '%zz',
    '%ed%a0%80',
    '%F0%9F%98%80',
    '-1',
    '0',
    '501',
    '1e9',
    '2147483648',
    '999999999999999',
    '99999999999999999999',
    'null',
    'NaN',
    'true',
    '[]',
    '%7B%7D',
    '2026-13-45T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '2026-01-01T00:00:00-23:00',
    '9999-12-31T23:59:59.999999999Z',
    '00000000-0000-4000-8000-000000000000',
    'empty-environment',
    'eyJ2IjoxfQ',
    '%27%20or%201%3D1--',
    'a'.repeat(5000),
  ),
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
);

/** Stands in a JSON text for the part that is to be replaced. */
const MARKER = JSON.stringify('\u{e000}');

/** JSON of a value in which one part, at any depth, is the marker. */
function marked(value: unknown): fc.Arbitrary<string> {
  const here = fc.constant(MARKER);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0) return here;
  const inside = fc.constantFrom(...keys).chain((key) => {
    const part = (value as Record<string, unknown>)[key];
    return marked(part).map((json) => replaced(value as object, key, json));
  });
  return fc.oneof({ weight: 1, arbitrary: here }, { weight: 3, arbitrary: inside });
}

/** The body with one part of it replaced. */
function spoilt(body: unknown): fc.Arbitrary<string> {
  const whole = fc.oneof(hostileJson, fc.string({ unit: 'binary' }));
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(marked(body), hostileJson)
        .map(([text, json]) => text.replace(MARKER, () => json)),
    },
    { weight: 1, arbitrary: whole },
    { weight: 1, arbitrary: fc.constant(JSON.stringify(body)) },
  );
}

/** JSON of an object or array in which one part is another JSON text. */
function replaced(body: object, key: string | number, part: string): string {
  const parts = Object.entries(body).map(([name, value]) => ({
    name,
    json: name === String(key) ? part : JSON.stringify(value),
  }));
  return Array.isArray(body)
    ? `[${parts.map(({ json }) => json).join(',')}]`
    : `{${parts.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

/**
 * Parameters the endpoint knows, given wrongly: odd values, twice, as arrays and maps, unknown
 * ones.
 */
function hostileQuery({ endpoint, query }: Route): fc.Arbitrary<string> {
  const names = Object.keys(endpoint.query?.shape ?? {});
  if (names.length === 0) return fc.constantFrom('', '?a=b', '?%zz', '?=&&=');
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(...names.map((known) => `${known}[]`)),
    fc.constantFrom(
      'metadata[a]',
      'metadata[]',
      'metadata%5Bb%5D',
      'metadata[%00]',
      'metadata',
      '__proto__',
      '%zz',
    ),
  );
  const pairs = fc.array(
    fc.tuple(name, hostileText).map(([left, right]) => `${left}=${right}`),
    { maxLength: 6 },
  );
  return fc.oneof(
    fc.constant(query),
    pairs.map((list) => `${query || '?'}${query ? '&' : ''}${list.join('&')}`),
  );
}

const hostileHeaders = fc.record(
  {
    'idempotency-key': fc.constantFrom('', 'k', 'x'.repeat(300), '"quoted"'),
    'x-oz-api-source': fc.constantFrom('API', 'LOCAL', 'nonsense', ''),
    'x-warp-cloud-agent-id': fc.constantFrom('nonsense', '00000000-0000-4000-8000-000000000000'),
    'if-none-match': fc.constantFrom('*', '"x"', 'W/"x"', 'x'.repeat(500)),
    prefer: fc.constantFrom('wait=0', 'wait=-1', 'wait=abc', 'respond-async', 'wait=00'),
    [LEASE_HEADER]: fc.constantFrom('', 'stale', 'x'.repeat(5000), LIVE_LEASE, LIVE_LEASE),
    'content-length': fc.constantFrom('', '0', '5', '-1', '1e9', '99999999999999999999'),
  },
  { requiredKeys: [] },
);

function bodyOf({ endpoint, body }: Route): fc.Arbitrary<string | undefined> {
  if (endpoint.bodyKind === 'stream') return fc.string({ unit: 'binary' });
  return endpoint.body ? spoilt(body) : fc.constant(undefined);
}

/** Any endpoint of the table, asked rightly or wrongly; `ids` are those that exist. */
export function hostileRequests(
  routes: readonly Route[],
  ids: Record<string, string>,
): fc.Arbitrary<HostileRequest> {
  return fc.constantFrom(...routes).chain((route) => {
    const { id, endpoint } = route;
    const path = fc
      .tuple(fc.boolean(), hostileText)
      .map(([isRight, wrong]) =>
        endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          isRight ? (ids[name] ?? 'x') : wrong || 'x',
        ),
      );
    return fc.record({
      id: fc.constant(id),
      path,
      query: hostileQuery(route),
      headers: hostileHeaders,
      body: bodyOf(route),
    });
  });
}
