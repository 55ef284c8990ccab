import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendEventsRequest } from '../../src/contract/lease.ts';
import type { WorkerEvent } from '../../src/contract/event.ts';
import { readLines } from '../../src/worker/agent/lines.ts';
import type { EntryDraft } from '../../src/worker/agent/translate.ts';
import { BoundedText, cutMiddle } from '../../src/worker/log/bounded-text.ts';
import { EventLog } from '../../src/worker/log/event-log.ts';
import { createMasker } from '../../src/worker/log/mask.ts';

const RUNS = process.env['RUNLINK_TEST_LONG'] ? 2000 : 100;

async function linesOf(
  chunks: string[],
  max?: number,
): Promise<{ text: string; cutBytes: number }[]> {
  const found = [];
  for await (const line of readLines(Readable.from(chunks.map((each) => Buffer.from(each))), max))
    found.push(line);
  return found;
}

/** Cuts `text` at these places. */
function pieces(text: string, cuts: number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

describe('reading lines', () => {
  it('gives the same lines however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-zé{}"]*$/)),
        fc.array(fc.nat()),
        async (lines, cuts) => {
          const text = lines.map((line) => `${line}\n`).join('');
          const found = await linesOf(pieces(text, cuts).filter(Boolean));
          expect(found.map((line) => line.text)).toEqual(lines);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('keeps both ends of a line that is too long, and the next line whole', async () => {
    const long = `HEAD${'x'.repeat(600_000)}TAIL`;
    const [first, second] = await linesOf(
      [long.slice(0, 300_000), `${long.slice(300_000)}\nnext\n`],
      1000,
    );
    expect(first?.text.startsWith('HEAD')).toBe(true);
    expect(first?.text.endsWith('TAIL')).toBe(true);
    expect(first?.text.length).toBeLessThan(200_000);
    expect(first?.cutBytes).toBeGreaterThan(400_000);
    expect(second).toEqual({ text: 'next', cutBytes: 0 });
  });
});

describe('masking', () => {
  it('hides a secret however the text is cut into pieces (threats.md G9)', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9"\\]{6,20}$/),
        fc.string(),
        fc.string(),
        fc.array(fc.nat(), { maxLength: 6 }),
        (secret, before, after, cuts) => {
          const stream = createMasker([secret]).stream();
          const text = `${before}${secret}${after}`;
          const out =
            pieces(text, cuts)
              .map((piece) => stream.push(piece))
              .join('') + stream.flush();
          expect(out).not.toContain(secret);
          expect(out).toContain('***');
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('hides it inside JSON, in a URL and as base64', () => {
    const masker = createMasker(['p@ss"word/1']);
    const raw = JSON.stringify({
      token: 'p@ss"word/1',
      url: `https://x/?k=${encodeURIComponent('p@ss"word/1')}`,
    });
    expect(masker.mask(raw)).toBe('{"token":"***","url":"https://x/?k=***"}');
    expect(masker.mask(Buffer.from('p@ss"word/1').toString('base64'))).toBe('***');
  });

  it('hides each line of one that has several, as a diff shows it', () => {
    const masker = createMasker(['-----BEGIN KEY-----\r\nMIIEpAIBAAKC\n  c2VjcmV0\n}\n']);
    expect(masker.mask('+-----BEGIN KEY-----\n+MIIEpAIBAAKC\n+c2VjcmV0\n+}')).toBe(
      '+***\n+***\n+***\n+}',
    );
  });

  it('leaves ordinary text as it is', () => {
    const stream = createMasker(['secret-value', 'true']).stream();
    expect(stream.push('it is true, s') + stream.push('o far') + stream.flush()).toBe(
      'it is true, so far',
    );
  });
});

describe('bounded text', () => {
  it('keeps short text whole and of long text both ends, in bounded memory', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 50 }), { maxLength: 30 }),
        (parts) => {
          const text = new BoundedText(undefined, 40);
          const out = parts.map((part) => text.push(part)).join('') + text.end();
          const whole = parts.join('');
          // At the very bound a character of two units may not fit.
          const short = whole.length <= 78;
          expect(out.startsWith(short ? whole : whole.slice(0, 39))).toBe(true);
          expect(out.endsWith(short ? whole : whole.slice(-39))).toBe(true);
          expect(out.length).toBeLessThan(short ? 79 : 140);
          expect(out.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('cuts the middle without breaking a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 80, max: 200 }),
        (text, max) => {
          const cut = cutMiddle(text, max);
          expect(cut.length).toBeLessThanOrEqual(max);
          expect(cut.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** A log whose service stores what the contract accepts. */
function openLog(secrets: string[] = [], hold?: Promise<void>) {
  const stored: WorkerEvent[] = [];
  let batches = 0;
  const log = new EventLog({
    masker: createMasker(secrets),
    firstSeq: 1,
    send: async (events) => {
      await hold;
      batches += 1;
      stored.push(...appendEventsRequest.parse({ events }).events);
    },
  });
  return { log, stored, batches: () => batches };
}

const say = (delta: string, message_id = 'm'): EntryDraft => ({
  type: 'message',
  message_id,
  role: 'assistant',
  delta,
});

describe('the event log', () => {
  it('numbers entries without gaps and loses none', async () => {
    const { log, stored, batches } = openLog();
    for (let index = 0; index < 5000; index += 1)
      await log.emit([say(`${index}`, `${index}`)], `{"n":${index}}`);
    await log.flush();
    expect(stored.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 5000 }, (_, index) => index + 1),
    );
    expect(stored.at(-1)).toMatchObject({ delta: '4999', raw: '{"n":4999}' });
    expect(batches()).toBeLessThan(100);
  });

  it('makes an agent wait while the service is slow, and lets it go on after', async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { log, stored } = openLog([], hold);
    let passed = 0;
    const writing = (async () => {
      for (; passed < 400; passed += 1) await log.emit([say('x'.repeat(60_000), `${passed}`)]);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(passed).toBeLessThan(200);
    release();
    await writing;
    await log.flush();
    expect(stored).toHaveLength(400);
  });

  it('sends no secret that comes in pieces, not in the raw lines either', async () => {
    const secret = 'ghs_0123456789abcdef';
    const { log, stored } = openLog([secret]);
    for (const part of ['token ghs_0123', '456789', 'abcdef done'])
      await log.emit([say(part)], JSON.stringify({ text: part }));
    await log.emit(
      [{ type: 'tool_call', call_id: 'c', title: secret, input: { command: `echo ${secret}` } }],
      secret,
    );
    await log.flush();
    const all = JSON.stringify(stored);
    expect(all).not.toContain('456789');
    expect(stored.map((event) => (event.type === 'message' ? event.delta : '')).join('')).toBe(
      'token *** done',
    );
    expect(all).toContain('echo ***');
  });

  it('keeps head and tail of an output of 200 MB', async () => {
    const { log, stored } = openLog();
    const chunk = `${'x'.repeat(65_535)}\n`;
    const emit = (output_delta: string) =>
      log.emit([{ type: 'tool_call', call_id: 'c', output_delta }], output_delta);
    await emit('HEAD\n');
    for (let index = 0; index < 200 * 16; index += 1) await emit(chunk);
    await emit('TAIL\n');
    await log.emit([{ type: 'tool_call', call_id: 'c', status: 'completed' }]);
    await log.flush();
    const output = stored
      .map((event) => (event.type === 'tool_call' ? (event.output_delta ?? '') : ''))
      .join('');
    expect(output.startsWith('HEAD')).toBe(true);
    expect(output.endsWith('TAIL\n')).toBe(true);
    expect(output).toMatch(/… \d{9} characters left out …/);
    expect(JSON.stringify(stored).length).toBeLessThan(6_000_000);
  });

  it('accepts whatever an agent says: NUL, lone surrogates, endless titles', async () => {
    const { log, stored } = openLog();
    await log.emit([say('a\0b\uD800')], 'raw\0\uDFFF');
    await log.emit([
      {
        type: 'tool_call',
        call_id: 'c'.repeat(9000),
        title: 't'.repeat(9000),
        paths: Array.from({ length: 999 }, () => 'p'),
      },
    ]);
    await log.emit([{ type: 'plan', entries: [{ content: 'x'.repeat(100_000) }] }]);
    await log.flush();
    expect(stored).toHaveLength(3);
  });

  it('says when it is full, and still takes what the worker itself reports', async () => {
    const { log, stored } = openLog();
    for (let index = 0; index < 700; index += 1)
      await log.emit([say('y'.repeat(500_000), `${index}`)]);
    await log.emit([{ type: 'turn_end', stop_reason: 'end_turn' }]);
    await log.flush();
    expect(stored.at(-1)).toMatchObject({ type: 'turn_end' });
    expect(stored.filter(({ type }) => type === 'notice')).toHaveLength(1);
  });
});
