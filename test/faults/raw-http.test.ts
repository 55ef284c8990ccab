import * as fc from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problem } from '../../src/contract/problem.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { halfWritten } from '../support/half-written.ts';
import { startTestService, type TestService } from '../support/service.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const REQUESTS = isLong ? 5000 : 150;
const ANSWER_WITHIN_MS = 10_000;
const IDLE_MS = 500;

let service: TestService;
let runs: RunDriver;
let key = '';
let port = 0;

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(() => startTestService()));
  port = Number(new URL(service.url).port);
});
afterAll(() => service.close());

interface Answer {
  status: number;
  head: string;
  body: string;
}

/** Sends bytes as they are; answers what came back until the server closed, if anything. */
async function send(bytes: Buffer): Promise<Answer | undefined> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  // A server that still waits for the rest learns that none comes.
  socket.setTimeout(IDLE_MS, () => socket.end());
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(true));
    setTimeout(resolve, ANSWER_WITHIN_MS, false).unref();
  });
  socket.write(bytes);
  const isClosed = await closed;
  socket.destroy();
  if (!isClosed) throw new Error('no answer and no end');
  const text = Buffer.concat(chunks).toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  if (status === undefined) return undefined;
  const end = text.indexOf('\r\n\r\n');
  return { status: Number(status), head: text.slice(0, end), body: text.slice(end + 4) };
}

/** A request as text; its body's length is told rightly unless the headers say another. */
function request(method: string, path: string, headers: readonly string[], body = ''): string {
  const has = (name: string): boolean =>
    headers.some((line) => line.toLowerCase().startsWith(name));
  return [
    `${method} ${path} HTTP/1.1`,
    ...(has('host') ? [] : ['Host: localhost']),
    'Connection: close',
    ...(has('authorization') ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === '' || has('content-length') || has('transfer-encoding')
      ? []
      : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
    ...headers,
    '',
    body,
  ].join('\r\n');
}

const JSON_TYPE = 'Content-Type: application/json';
const RUNS = `${API_PREFIX}/agent/runs`;
const nested = (depth: number): string =>
  `{"prompt":"p","config":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;

/**
 * What no client library would send, and the status it must be answered with; none: the connection
 * ends.
 */
const MALFORMED: [string, () => string, number | undefined][] = [
  ['bad percent-encoding in the path', () => request('GET', `${RUNS}/%zz`, []), 404],
  ['bad percent-encoding in the query', () => request('GET', `${RUNS}?q=%zz%f`, []), 200],
  ['a NUL in the path', () => request('GET', `${RUNS}/a\0b`, []), 400],
  ['an encoded NUL in the path', () => request('GET', `${RUNS}/%00`, []), 404],
  ['a NUL in a header', () => request('GET', RUNS, ['X-A: a\0b']), 400],
  ['raw bytes in the path', () => request('GET', `${RUNS}/\xff\xfe`, []), 400],
  ['a space in the path', () => request('GET', `${RUNS}/a b`, []), 400],
  ['a backslash in the path', () => request('GET', `${RUNS}\\a`, []), 400],
  ['a path out of the root', () => request('GET', '/../../etc/passwd', []), 404],
  ['a path of 20,000 characters', () => request('GET', `${RUNS}/${'a'.repeat(20_000)}`, []), 400],
  ['headers of 20,000 characters', () => request('GET', RUNS, [`X-A: ${'a'.repeat(20_000)}`]), 400],
  [
    '3,000 headers',
    () =>
      request(
        'GET',
        RUNS,
        Array.from({ length: 3000 }, (_, n) => `X-${n}: a`),
      ),
    400,
  ],
  ['a header without a name', () => request('GET', RUNS, [': a']), 400],
  ['a folded header', () => request('GET', RUNS, ['X-A: a', ' b']), 400],
  ['no Host', () => `GET ${RUNS} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
  ['a Host that is none', () => request('GET', RUNS, ['Host: a b/c?d']), 400],
  [
    'the key twice',
    () => request('GET', RUNS, [`Authorization: Bearer ${key}`, 'Authorization: Bearer x']),
    401,
  ],
  ['duplicate parameters', () => request('GET', `${RUNS}?limit=1&limit=2`, []), 400],
  ['parameters that nobody knows', () => request('GET', `${RUNS}?limit[]=1&nothing[a]=b`, []), 200],
  [
    'a length that is no number',
    () => request('POST', RUNS, [JSON_TYPE, 'Content-Length: abc'], '{}'),
    400,
  ],
  ['a negative length', () => request('POST', RUNS, [JSON_TYPE, 'Content-Length: -5'], '{}'), 400],
  [
    'two lengths',
    () => request('POST', RUNS, [JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3'], '{}'),
    400,
  ],
  [
    'a length that is too short',
    () => request('POST', RUNS, [JSON_TYPE, 'Content-Length: 3'], '{"prompt":"p"}'),
    400,
  ],
  [
    'a length beyond every limit',
    () => request('POST', RUNS, [JSON_TYPE, 'Content-Length: 99999999999'], '{}'),
    413,
  ],
  [
    'length and chunks',
    () =>
      request(
        'POST',
        RUNS,
        [JSON_TYPE, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
        '2\r\n{}\r\n0\r\n\r\n',
      ),
    400,
  ],
  [
    'chunks that are none',
    () => request('POST', RUNS, [JSON_TYPE, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'),
    400,
  ],
  [
    'an encoding that is none',
    () => request('POST', RUNS, [JSON_TYPE, 'Transfer-Encoding: nonsense'], '{}'),
    400,
  ],
  [
    'an expectation that is none',
    () => request('POST', RUNS, [JSON_TYPE, 'Expect: nonsense'], '{}'),
    400,
  ],
  ['nesting of 100,000', () => request('POST', RUNS, [JSON_TYPE], nested(100_000)), 400],
  ['bytes that are no UTF-8', () => request('POST', RUNS, [JSON_TYPE], '{"prompt":"\xff"}'), 400],
  ['a method that is none', () => request('NONSENSE', RUNS, []), 400],
  ['a method in lower case', () => request('get', RUNS, []), 400],
  ['another version of HTTP', () => `GET ${RUNS} HTTP/9.9\r\nHost: a\r\n\r\n`, 400],
  ['no version of HTTP', () => `GET ${RUNS}\r\n\r\n`, 400],
  [
    'a target that is another server',
    () => request('GET', `http://elsewhere.example${RUNS}`, []),
    200,
  ],
  ['a target of another scheme', () => request('GET', `ftp://elsewhere.example${RUNS}`, []), 400],
  ['a tunnel', () => request('CONNECT', 'elsewhere.example:443', []), undefined],
  ['the beginning of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['nothing', () => '', undefined],
];

/** What is wrong with an answer; undefined when nothing is. */
function fault(answer: Answer | undefined): string | undefined {
  if (!answer || answer.status < 400) return undefined;
  if (answer.status >= 500) return `${answer.status} ${answer.body}`;
  if (!/\r\ncontent-type: application\/problem\+json/i.test(answer.head))
    return `no problem document: ${answer.head}`;
  const chunked = /\r\ntransfer-encoding: chunked/i.test(answer.head);
  const text = chunked
    ? answer.body.slice(answer.body.indexOf('{'), answer.body.lastIndexOf('}') + 1)
    : answer.body;
  const read = problem.safeParse(JSON.parse(text === '' ? 'null' : text));
  return read.success && read.data.status === answer.status
    ? undefined
    : `${answer.status}: ${text}`;
}

const isThere = async (): Promise<number> => (await fetch(`${service.url}/ready`)).status;

describe('what is no proper HTTP request', () => {
  it.each(MALFORMED)(
    '%s is answered with a problem, or its connection ends',
    async (_, make, status) => {
      const answer = await send(Buffer.from(make(), 'latin1'));
      expect(fault(answer)).toBeUndefined();
      expect(answer?.status).toBe(status);
      expect(await isThere()).toBe(200);
    },
  );

  it(
    `and ${REQUESTS} proper ones with some bytes changed, taken out or put in break nothing`,
    async () => {
      const id = await runs.create();
      const whole = [
        () => request('GET', `${RUNS}?limit=5&state=QUEUED&metadata%5Ba%5D=b`, []),
        () =>
          request(
            'POST',
            RUNS,
            [JSON_TYPE, 'Idempotency-Key: k'],
            '{"prompt":"p","metadata":{"a":"b"}}',
          ),
        () => request('POST', `${RUNS}/${id}/followups`, [JSON_TYPE], '{"message":"m"}'),
        () => request('PUT', `${API_PREFIX}/agent/schedules/${id}`, [JSON_TYPE], '{"name":"n"}'),
      ];
      const edit = fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        out: fc.nat(3),
        put: fc.oneof(
          fc.constantFrom(
            '\0',
            '\r',
            '\n',
            '\r\n\r\n',
            '%',
            '%00',
            ':',
            ' ',
            '\xff',
            '{',
            '"',
            '\u007f',
          ),
          fc.string({ maxLength: 4 }),
        ),
      });
      const spoilt = fc
        .tuple(fc.constantFrom(...whole), fc.array(edit, { minLength: 1, maxLength: 4 }))
        .map(([make, edits]) =>
          edits.reduce((text, { at, out, put }) => {
            const place = Math.floor(at * text.length);
            return text.slice(0, place) + put + text.slice(place + out);
          }, make()),
        );
      const harmless = fc.asyncProperty(spoilt, async (text) => {
        const found = fault(await send(Buffer.from(text, 'latin1')));
        if (found !== undefined) throw new Error(found);
      });
      const seed = isLong ? {} : { seed: 20_261_121 };
      const result = await fc.check(harmless, { numRuns: REQUESTS, endOnFailure: true, ...seed });
      expect(result.failed ? fc.defaultReportMessage(result) : undefined).toBeUndefined();
      expect(await isThere()).toBe(200);
      expect(await halfWritten(service.service.context.db)).toEqual([]);
    },
    isLong ? 15 * 60_000 : 60_000,
  );

  it.runIf(isLong)(
    'is told to come again where its headers come too late: 408, which clients repeat',
    async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a');
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(chunk.toString()).toMatch(/^HTTP\/1\.1 408 /);
    },
    120_000,
  );
});
